//! `simdrive lint` as scripts and code hosts meet it.

use serde_json::Value;
use simdrive::recording::lint::Rule;

use crate::base::{Copy, tree};

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(bytes)))
}

#[test]
fn exit_codes_say_how_grave_it_is() {
    let copy = Copy::new();
    let code = |arguments: &[&str]| copy.simdrive(arguments).status.code();
    assert_eq!(code(&["lint"]), Some(0));
    assert_eq!(code(&["lint", "nowhere"]), Some(2));
    assert_eq!(code(&["lint", "recordings", "nowhere", "--json"]), Some(2));
    assert_eq!(code(&["lint", "--deny", "everything"]), Some(2));
    assert_eq!(code(&["lint", "--json", "--format", "sarif"]), Some(2));
    std::fs::write(copy.home().join("notes.txt"), b"x").unwrap();
    assert_eq!(code(&["lint", "notes.txt"]), Some(2));
    // a folder of recordings comes to be with the first one
    assert_eq!(code(&["lint", "--recordings", "later"]), Some(0));

    copy.step("action: tap\ntarget: {by: point, x: 90, y: 300}");
    assert_eq!(code(&["lint", "sound"]), Some(0));
    assert_eq!(code(&["lint", "recordings/sound/recording.yaml", "--deny", "warnings"]), Some(1));
    copy.step("action: type_text\ntext: 4242 4242 4242 4242");
    let before = tree(&copy.folder);
    assert_eq!(code(&["lint", "recordings"]), Some(1));
    assert!(tree(&copy.folder) == before, "without --fix nothing is written");
}

#[test]
fn text_and_json_say_the_same() {
    let copy = Copy::new();
    copy.step("action: tap\ntarget: {by: point, x: 90, y: 300}");
    copy.edit("name: sound", "name: noise");
    let text = String::from_utf8(copy.simdrive(&["lint"]).stdout).unwrap();
    assert!(text.contains("recordings/sound/recording.yaml:2: warning name_mismatch: "), "{text}");
    assert!(text.contains(": warning raw_coordinates: step 3: it aims at (90, 300)"), "{text}");
    assert!(text.trim_end().ends_with("1 recording: 0 errors, 2 warnings, 0 notes"), "{text}");
    let told = json(&copy.simdrive(&["lint", "--json", "recordings", "recordings/sound"]).stdout);
    assert_eq!((&told["recordings"], &told["warnings"]), (&1.into(), &2.into()));
    assert_eq!(told["findings"][0]["code"], "name_mismatch");
    assert_eq!(told["findings"][0]["fixable"], true);
    let told = json(&copy.simdrive(&["lint", "--fix", "--format", "json"]).stdout);
    assert_eq!((&told["fixed"][0]["code"], &told["warnings"]), (&"name_mismatch".into(), &1.into()));
    let error = json(&copy.simdrive(&["lint", "nowhere", "--json"]).stdout);
    assert_eq!(error["error"]["code"], "recording_not_found");
}

#[test]
fn sarif_has_the_shape_that_code_hosts_read() {
    let copy = Copy::new();
    copy.step("action: tap\ntarget: {by: point, x: 90, y: 300}");
    std::fs::write(copy.folder.join("frames/00000000000000ff.png"), b"left over").unwrap();
    let sarif = json(&copy.simdrive(&["lint", "--format", "sarif"]).stdout);
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &sarif["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "simdrive");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Rule::ALL.len());
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    }
    let place = |at: usize| &results[at]["locations"][0]["physicalLocation"];
    let orphan = place(0)["artifactLocation"]["uri"].as_str().unwrap();
    assert_eq!(orphan, "recordings/sound/frames/00000000000000ff.png");
    assert_eq!(place(1)["artifactLocation"]["uri"], "recordings/sound/recording.yaml");
    assert!(place(1)["region"]["startLine"].as_u64().unwrap() > 1);
    assert_eq!(results[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "steps[2].target");
}
