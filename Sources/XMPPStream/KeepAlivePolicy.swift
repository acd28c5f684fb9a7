/// How a stream finds out that its connection is dead.
public enum KeepAlivePolicy: Equatable, Sendable {
    /// It does not: a dead connection is found when something is sent.
    case off

    /// After `silence` without a byte from the peer it is asked for a sign of life, which has `patience` to come.
    case probe(silence: Duration, patience: Duration)

    /// Asks after one minute of silence and waits for 15 seconds: short enough that a person sees a lost connection
    /// before wondering, and under the five minutes after which many address translators forget a connection.
    public static let standard = KeepAlivePolicy.probe(silence: .seconds(60), patience: .seconds(15))
}
