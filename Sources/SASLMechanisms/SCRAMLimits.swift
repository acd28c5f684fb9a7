/// The bounds of what a SCRAM client takes from a server.
public enum SCRAMLimits {
    /// The least iterations a server should ask for (RFC 5802 §5.1, RFC 7677 §4). Fewer make it cheap to guess the
    /// password from one recorded exchange, so a forged server would ask for few.
    public static let minimumIterations = 4096

    /// The most iterations that are computed. Every published recommendation lies below (1 300 000 for SHA-1 in
    /// 2023), and a modern core needs about a second; without a bound one short message could keep it busy for hours.
    public static let maximumIterations = 2_000_000

    /// What a client accepts where its policy says nothing else.
    public static let iterations = minimumIterations...maximumIterations

    /// The longest message that is read, in bytes. Real ones have some hundred; a salt or nonce of more has no use.
    public static let maximumMessageByteCount = 8192
}
