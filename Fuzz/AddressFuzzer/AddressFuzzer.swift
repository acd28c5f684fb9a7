import XMPPAddress

/// Passes arbitrary octets to the three parsers of addresses and stops on the first violated guarantee.
///
/// Parsing an accepted address again gives the same octets; its parts rebuild it; its domain is preserved by its ASCII
/// form. An accepted URI, and what it asks for, is written as one with the same meaning. Escaping can be reversed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAddress(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = UnsafeBufferPointer(start: start, count: count)
    if let address = try? JID(utf8: octets) { check(address) }

    let text = String(decoding: octets, as: UTF8.self)
    if let address = try? JID(domain: text) { check(address) }
    if let address = try? JID(local: text, domain: "example.com") { check(address) }
    if let address = try? JID(domain: "example.com", resource: text) { check(address) }
    if let uri = try? XMPPURI("xmpp:" + text) {
        precondition((try? XMPPURI(uri.description)) == uri, "A URI changed its meaning.")
        if let request = uri.request, let address = uri.address {
            precondition(XMPPURI(address, request).request == request, "A request changed its meaning.")
        }
    }
    if let escaped = try? JIDEscaping.escape(text) {
        precondition(JIDEscaping.unescape(escaped).utf8.elementsEqual(text.utf8), "An escape cannot be undone.")
    }
    return 0
}

private func check(_ address: JID) {
    guard let again = try? JID(address.description) else { preconditionFailure("An address is refused.") }
    precondition(again.description.utf8.elementsEqual(address.description.utf8), "An address is not canonical.")
    precondition(again == address && again.hashValue == address.hashValue, "An address is not equal to itself.")
    let rebuilt = try? JID(local: address.local, domain: address.domain, resource: address.resource)
    precondition(rebuilt == address, "The parts do not make the address.")
    precondition((try? JID(address.bare.description)) == address.bare, "The bare address is refused.")
    if address.domainKind == .name {
        precondition((try? JID(domain: address.asciiDomain)) == address.domainJID, "The ASCII form is another name.")
    }
    for part in [address.local, address.domain, address.resource] {
        if let part { precondition((1...JID.maximumPartLength).contains(part.utf8.count), "A part is too long.") }
    }
    _ = address < again
}
