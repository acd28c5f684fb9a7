/// Which DNS servers are asked, and for how long.
public struct ResolverConfiguration: Sendable, Hashable {
    /// `address`, `address:port` or `[address]:port`; empty means the system's (`/etc/resolv.conf`).
    public var servers: [String] = []
    /// For all questions of one look-up together.
    public var deadline = Duration.seconds(10)
    /// How long one server is waited for at first; longer in each further round.
    public var attempt = Duration.seconds(2)
    /// How often each server is asked.
    public var attempts = 3
    /// Whether `/etc/hosts` is looked at before DNS for addresses.
    public var usesHostsFile = true

    public init() {}
}
