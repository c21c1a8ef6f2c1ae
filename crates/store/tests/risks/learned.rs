//! What was learned about models: kept over processes, the newest word on each model wins.

use crate::support::for_each_engine;

#[test]
fn what_is_learned_is_there_for_the_next_process() {
    for_each_engine(async |bed| {
        let row = |model: &str, habits: &str| ("http://a/".to_owned(), model.to_owned(), habits.to_owned());
        let store = bed.open().await;
        store.learn(Vec::new()).await.expect("nothing to keep");
        store.learn(vec![row("m", "{}"), row("n", "{\"thinking\":{\"default\":5}}")]).await.expect("kept");
        store.learn(vec![row("m", "{\"limit_renamed\":true}")]).await.expect("kept");
        store.close().await;
        let known = bed.open().await.learned().await.expect("read");
        assert_eq!(known, [row("m", "{\"limit_renamed\":true}"), row("n", "{\"thinking\":{\"default\":5}}")]);
    });
}
