/// An endpoint at which a domain offers XMPP to clients: one SRV record (RFC 2782; RFC 6120 §3.2.1, XEP-0368).
public struct ServiceRecord: Sendable, Hashable {
    /// How the connection is secured.
    public enum Kind: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// `_xmpp-client._tcp`: starts unencrypted, then STARTTLS.
        case startTLS
        /// `_xmpps-client._tcp`: TLS from the first byte (XEP-0368).
        case directTLS

        /// The name to look up for `domain`.
        public func name(at domain: String) -> String {
            switch self {
            case .startTLS: "_xmpp-client._tcp.\(domain)"
            case .directTLS: "_xmpps-client._tcp.\(domain)"
            }
        }

        public var description: String {
            switch self {
            case .startTLS: "STARTTLS"
            case .directTLS: "direct TLS"
            }
        }
    }

    public var kind: Kind
    /// The lowest is tried first.
    public var priority: UInt16
    /// The share of clients within a priority.
    public var weight: UInt16
    /// The host; "." if the service is explicitly not offered.
    public var host: String
    public var port: UInt16

    public init(kind: Kind, priority: UInt16, weight: UInt16, host: String, port: UInt16) {
        self.kind = kind
        self.priority = priority
        self.weight = weight
        self.host = host
        self.port = port
    }

    /// The order in which to try the records (RFC 2782 "Usage rules"): by priority; within a priority at random, with a
    /// probability in proportion to the weight and a very low one for weight 0. Both kinds form one list (XEP-0368 §3).
    public static func ordered(
        _ records: [ServiceRecord], using generator: inout some RandomNumberGenerator
    ) -> [ServiceRecord] {
        var result: [ServiceRecord] = []
        for priority in Set(records.map(\.priority)).sorted() {
            // Records of weight 0 come first, so that a random number of 0 can select them. They are shuffled, so that
            // all of them, and all records if every weight is 0, have the same chance in whatever order DNS returned
            // them.
            let shuffled = records.filter { $0.priority == priority }.shuffled(using: &generator)
            var group = shuffled.filter { $0.weight == 0 } + shuffled.filter { $0.weight > 0 }
            while !group.isEmpty {
                let sum = group.reduce(0) { $0 + Int($1.weight) }
                let lot = Int.random(in: 0...sum, using: &generator)
                var running = 0
                let index = group.firstIndex { record in
                    running += Int(record.weight)
                    return running >= lot
                }
                result.append(group.remove(at: index ?? 0))
            }
        }
        return result
    }
}
