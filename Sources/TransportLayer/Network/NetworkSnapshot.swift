/// The addresses and default routes of the machine at one moment.
struct NetworkSnapshot: Sendable, Hashable {
    /// Of interfaces that are up, loopback apart; link-local addresses apart.
    var addresses: Set<RouteMessage.Address> = []
    /// Through such interfaces.
    var defaultRoutes: Set<RouteMessage.Route> = []

    /// Whether anybody else can be reached.
    var isAvailable: Bool { !addresses.isEmpty }

    /// What a program should know about the way from one moment to another; `nil` for nothing.
    static func change(from old: NetworkSnapshot, to new: NetworkSnapshot) -> NetworkChange? {
        switch (old.isAvailable, new.isAvailable) {
        case (false, true): .available
        case (true, false): .unavailable
        case (true, true): old == new ? nil : .changed
        case (false, false): nil
        }
    }
}

extension NetworkSnapshot {
    /// Puts the kernel's three lists together: interfaces, addresses, routes.
    init(_ messages: [RouteMessage]) {
        var usable: Set<Int32> = []
        for case .link(let link) in messages.map(\.content) where link.isUsable && !link.isLoopback {
            usable.insert(link.index)
        }
        for message in messages {
            switch message.content {
            case .address(let address) where usable.contains(address.interface) && address.isGlobal:
                addresses.insert(address)
            case .route(let route) where usable.contains(route.interface): defaultRoutes.insert(route)
            case .address, .route, .link, .done, .failed, .other: break
            }
        }
    }
}
