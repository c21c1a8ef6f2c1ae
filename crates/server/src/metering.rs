//! Numbers for Prometheus. What is counted where it happens (calls, batches) is collected by the process's one recorder.

use crate::fault::Answer;
use crate::state::Server;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use synod_types::RunState;

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// From now on numbers are kept. Once a process.
pub fn begin() {
    RECORDER.get_or_init(|| {
        let seconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5];
        let rows = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
        let built = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &seconds)
            .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_rows".into()), &rows))
            .and_then(PrometheusBuilder::install_recorder);
        match built {
            Ok(handle) => {
                describe();
                Some(handle)
            }
            Err(error) => {
                tracing::error!(%error, "numbers cannot be collected");
                None
            }
        }
    });
}

fn describe() {
    metrics::describe_gauge!("synod_runs", "Runs by state. Those whose process is gone count as running until somebody takes them up.");
    metrics::describe_gauge!("synod_runs_here", "Runs under way in this process.");
    metrics::describe_gauge!("synod_streams", "Event streams open now.");
    metrics::describe_counter!("synod_calls_total", "Calls to models that were answered, by endpoint.");
    metrics::describe_counter!("synod_call_failures_total", "Calls to models that failed, by endpoint and kind.");
    metrics::describe_counter!("synod_tokens_total", "Tokens by endpoint and direction.");
    metrics::describe_counter!("synod_usd_micros_total", "Known cost in millionths of a US dollar, by endpoint.");
    metrics::describe_histogram!("synod_journal_batch_rows", "Rows committed together.");
    metrics::describe_histogram!("synod_journal_batch_seconds", "How long a commit took.");
    metrics::describe_counter!("synod_database_reads_total", "Times something was read from the database.");
    metrics::describe_counter!("synod_requests_total", "Requests by method and status.");
    metrics::describe_counter!("synod_taken_up_total", "Runs taken up after their process was gone, or after an answer.");
}

/// All numbers as Prometheus reads them.
pub async fn render(server: &Server) -> Answer<String> {
    let counts = server.app.runs_by_state().await?;
    for state in [RunState::Running, RunState::Waiting, RunState::Stopped, RunState::Complete, RunState::Lost] {
        let count = counts.iter().find(|(known, _)| *known == state).map_or(0, |(_, count)| *count);
        metrics::gauge!("synod_runs", "state" => state.as_str()).set(count as f64);
    }
    metrics::gauge!("synod_runs_here").set(server.app.reader()?.under_way() as f64);
    metrics::gauge!("synod_streams").set(server.settings.max_streams.saturating_sub(server.streams.available_permits()) as f64);
    Ok(RECORDER.get().and_then(Option::as_ref).map(PrometheusHandle::render).unwrap_or_default())
}
