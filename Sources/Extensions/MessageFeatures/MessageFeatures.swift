// The payloads are plain values in a separate module, MessagePayloads. These extensions announce, request and answer
// them.
@_exported public import MessagePayloads
