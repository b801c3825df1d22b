//! Compiles the companion protocol with `protox`: no protoc is needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "src/device/idb/proto";
    let files = ["idb.proto", "control.proto"].map(|file| format!("{folder}/{file}"));
    println!("cargo::rerun-if-changed={folder}");
    let descriptors = protox::compile(files, [folder])?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
