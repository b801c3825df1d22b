//! Tiny networks of the `ocrs` contract, written as ONNX for tests: what is bright is text, and reads as `a`.

/// One field of a protocol buffer: length-delimited.
fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    let mut out = varint(field << 3 | 2);
    out.extend(varint(content.len() as u64));
    out.extend_from_slice(content);
    out
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// `dims`: `None` is a size that varies.
fn value(field: u64, name: &str, dims: &[Option<u64>]) -> Vec<u8> {
    let dims = dims.iter().enumerate().map(|(i, dim)| {
        let content = dim.map_or_else(|| bytes(2, format!("n{i}").as_bytes()), |dim| number(1, dim));
        bytes(1, &content)
    });
    let shape: Vec<u8> = dims.flatten().collect();
    let tensor = [number(1, 1), bytes(2, &shape)].concat();
    bytes(field, &[bytes(1, name.as_bytes()), bytes(2, &bytes(1, &tensor))].concat())
}

fn floats(name: &str, dims: &[u64], values: &[f32]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    tensor(name, dims, 1, &raw)
}

fn integers(name: &str, values: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    tensor(name, &[values.len() as u64], 7, &raw)
}

fn tensor(name: &str, dims: &[u64], kind: u64, raw: &[u8]) -> Vec<u8> {
    let mut content: Vec<u8> = dims.iter().flat_map(|dim| number(1, *dim)).collect();
    content.extend([number(2, kind), bytes(8, name.as_bytes()), bytes(9, raw)].concat());
    bytes(5, &content)
}

fn integer_list(name: &str, values: &[u64]) -> Vec<u8> {
    let values: Vec<u8> = values.iter().flat_map(|v| number(8, *v)).collect();
    bytes(5, &[bytes(1, name.as_bytes()), values, number(20, 7)].concat())
}

fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut content: Vec<u8> = inputs.iter().flat_map(|input| bytes(1, input.as_bytes())).collect();
    content.extend(bytes(2, output.as_bytes()));
    content.extend(bytes(4, operator.as_bytes()));
    content.extend(attributes.concat());
    bytes(1, &content)
}

fn model(graph: &[Vec<u8>]) -> Vec<u8> {
    let graph = [graph.concat(), bytes(2, b"g")].concat();
    [number(1, 8), bytes(7, &graph), bytes(8, &number(2, 13))].concat()
}

/// Grey [batch, 1, 200, 400] in [-0.5, 0.5] to how likely each pixel is text.
pub(super) fn detector() -> Vec<u8> {
    let shape = [None, Some(1), Some(200), Some(400)];
    model(&[
        node("Add", &["x", "half"], "y", &[]),
        floats("half", &[1], &[0.5]),
        value(11, "x", &shape),
        value(12, "y", &shape),
    ])
}

/// Grey [batch, 1, 64, width] to the log-probabilities [width / 4, batch, 3] of blank, `a` and `b`.
pub(super) fn recogniser() -> Vec<u8> {
    model(&[
        node(
            "MaxPool",
            &["x"],
            "columns",
            &[integer_list("kernel_shape", &[64, 4]), integer_list("strides", &[64, 4])],
        ),
        node("Squeeze", &["columns", "height"], "rows", &[]),
        node("Transpose", &["rows"], "steps", &[integer_list("perm", &[2, 0, 1])]),
        node("MatMul", &["steps", "weights"], "classes", &[]),
        node("LogSoftmax", &["classes"], "y", &[]),
        integers("height", &[2]),
        floats("weights", &[1, 3], &[-20.0, 20.0, 0.0]),
        value(11, "x", &[None, Some(1), Some(64), None]),
        value(12, "y", &[None, None, Some(3)]),
    ])
}
