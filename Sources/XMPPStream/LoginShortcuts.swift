/// What a login did together instead of one after the other; nothing of it where the server has only RFC 6120.
public struct LoginShortcuts: Hashable, Sendable {
    /// XEP-0388 was used in place of the SASL profile of RFC 6120.
    public var usesSASL2 = false
    /// The resource was bound together with the login (XEP-0386).
    public var bindsInline = false
    /// The session was resumed together with the login (XEP-0198 §9.2).
    public var resumesInline = false
    /// A token stood in for the password (XEP-0484).
    public var usesFAST = false
    /// The namespaces of the ``BindRequest``s that were granted.
    public var inlineFeatures: Set<String> = []

    public init() {}
}
