/// The identifiers of the last messages sent, to recognise them when they come back.
struct RecentIdentifiers: Sendable {
    /// How many messages can be on their way to one room and back.
    static let limit = 256

    private var order: [String] = []
    private var known: Set<String> = []

    mutating func remember(_ id: String) {
        guard known.insert(id).inserted else { return }
        order.append(id)
        if order.count > Self.limit { known.remove(order.removeFirst()) }
    }

    func contains(_ id: String) -> Bool { known.contains(id) }
}
