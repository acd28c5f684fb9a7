internal import XMPPAddress

/// The subscription requests that wait for an answer of the person, oldest first.
///
/// Anybody can send such requests, under any number of addresses, so their number is bounded. The requests of one domain
/// are bounded as well: a server that makes up addresses cannot keep out the people of another one.
struct PendingRequests {
    /// How many requests are kept: more than a person reads.
    static let limit = 1024
    /// How many requests are kept of one domain: a sixteenth, so that many domains find room.
    static let domainLimit = 64

    enum Outcome: Equatable {
        case added
        /// The address waits already.
        case known
        /// There is no room. The server keeps the request and repeats it in the next session (RFC 6121 §3.1.3).
        case omitted
    }

    private(set) var addresses: [JID] = []
    private var counts: [String: Int] = [:]
    /// How many requests found no room in this session.
    private(set) var omitted = 0

    mutating func add(_ address: JID) -> Outcome {
        if addresses.contains(address) { return .known }
        guard addresses.count < Self.limit, counts[address.domain, default: 0] < Self.domainLimit else {
            omitted += 1
            return .omitted
        }
        addresses.append(address)
        counts[address.domain, default: 0] += 1
        return .added
    }

    mutating func remove(_ address: JID) {
        guard let index = addresses.firstIndex(of: address) else { return }
        addresses.remove(at: index)
        let left = counts[address.domain, default: 1] - 1
        counts[address.domain] = left > 0 ? left : nil
    }

    /// The server is about to repeat what waits.
    mutating func sessionBegan() { omitted = 0 }

    /// Whether the number of omitted requests is worth a report: the first, then each time it has doubled, so that a flood
    /// of requests is not a flood of reports.
    var isReportDue: Bool { omitted.nonzeroBitCount == 1 }
}
