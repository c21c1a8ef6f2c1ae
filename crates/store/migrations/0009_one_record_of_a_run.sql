-- What a run has shown, its turns, costs and figures are read from its journal when somebody asks: copies of them could only differ from it, and
-- kept the words of raw replies past their retention. What each model used stays in `run_stats`.

DROP TABLE stages;
DROP TABLE turns;
DROP TABLE costs;
DROP TABLE figures;

-- Answers of runs outside any conversation were never read here; they are in their verdicts.
DELETE FROM messages WHERE conversation_id IS NULL;
