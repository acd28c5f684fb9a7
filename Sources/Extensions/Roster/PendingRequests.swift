internal import XMPPAddress

/// The subscription requests that wait for the user, oldest first.
///
/// Anyone can send such requests from any number of addresses, so their number is limited. The limit per domain
/// prevents a server that invents addresses from displacing requests of other domains.
struct PendingRequests {
    /// The maximum number of requests: more than a user reads.
    static let limit = 1024
    /// The maximum number of requests per domain: a sixteenth, so that there is room for many domains.
    static let domainLimit = 64

    enum Outcome: Equatable {
        case added
        /// The request is already pending.
        case known
        /// The limit is reached. The server stores the request and repeats it in the next session (RFC 6121 §3.1.3).
        case omitted
    }

    private(set) var addresses: [JID] = []
    private var counts: [String: Int] = [:]
    /// The number of requests in this session that exceeded the limits.
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

    /// The server is about to repeat the pending requests.
    mutating func sessionBegan() { omitted = 0 }

    /// Whether the number of omitted requests should be reported: for the first, then each time it has doubled, so that
    /// a flood of requests does not cause a flood of reports.
    var isReportDue: Bool { omitted.nonzeroBitCount == 1 }
}
