//! One rehearsal of every mode, whole, as a person would read its journal. A change here is a change of protocol or of voice.

use crate::{ended, voices};
use synod_modes::MODES;
use synod_testkit::reading::transcript;
use synod_testkit::rig::{Rig, order};

#[tokio::test]
async fn a_rehearsal_reads_as_it_always_did() {
    for mode in MODES {
        let rig = Rig::new(voices());
        let (run, ending) = rig.run(&order(mode, 7)).await;
        ended(&rig, &run, ending, mode.id).await;
        let rows = rig.rows(&run).await;
        insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("golden_{}", mode.id), transcript(&rows));
        });
    }
}
