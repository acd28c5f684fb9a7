public import XMLStreaming

/// A payload that may stand in a message, such as a delivery receipt.
public protocol MessagePayload: XMLPayload {}

/// A payload that may stand in a presence, such as entity capabilities.
public protocol PresencePayload: XMLPayload {}

/// A payload that may stand in an IQ stanza: the child of a request or of its result.
public protocol IQPayload: XMLPayload {}
