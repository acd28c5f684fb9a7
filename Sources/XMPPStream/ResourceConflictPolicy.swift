/// What to do when the resource that was asked for is in use (RFC 6120 §7.7.2.2).
public enum ResourceConflictPolicy: Hashable, Sendable {
    /// Ask for these, one after the other, and then let the server choose.
    case tryAlternatives([String])

    /// Ask again without a resource: the server makes one up.
    case letServerChoose

    /// Report `StreamAction.resourceConflict` and wait for `ClientStream.useResource(_:now:)`.
    case ask

    /// End the stream with the code `.resourceConflict`.
    case fail
}
