/// What is kept about an account: each kind in a place of its own, so that one can be replaced without touching the other.
enum SecretKind: String, Sendable, CaseIterable {
    /// What the person knows.
    case password
    /// What the server gave out in place of it for the next login (XEP-0484).
    case token

    /// The name of the file where no secret service runs, and the first word of its content behind `hongyan-`.
    var fileName: String { rawValue + "s" }
}
