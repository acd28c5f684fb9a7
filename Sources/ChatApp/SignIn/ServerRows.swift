internal import GTKBinding
internal import Localization

/// Where the server is, for those whose provider has told them; closed for everybody else.
final class ServerRows {
    let root = ExpanderRow(localized("Server settings"))
    let host = EntryRow(localized("Host"))
    let port = EntryRow(localized("Port"))
    let directTLS = SwitchRow(localized("Encrypted from the first byte"), subtitle: localized("Direct TLS"))

    init(asksForTLS: Bool = true) {
        root.add(host)
        root.add(port)
        if asksForTLS { root.add(directTLS) }
    }

    func show(isHostWrong: Bool, isPortWrong: Bool) {
        host.isWrong(isHostWrong)
        port.isWrong(isPortWrong)
        if isHostWrong || isPortWrong { root.isOpen = true }
    }
}
