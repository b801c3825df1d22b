//! MCP over stdio: translates tool calls into operations. Uses `operation`.
