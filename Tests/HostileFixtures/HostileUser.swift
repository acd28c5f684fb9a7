internal import Foundation
package import ServerFixtures
internal import XMLStreaming

/// A user of a real server that sends any bytes.
package struct HostileUser: Sendable {
    package let account: Account
    /// The full address that the server assigned.
    package let address: String
    package let line: HostileLine

    package init(_ account: Account, on server: any PrivateServer) async throws {
        self.account = account
        line = try await HostileLine(port: server.port)
        let header =
            "<?xml version='1.0'?><stream:stream to='\(account.domain)' version='1.0' xmlns='jabber:client' "
            + "xmlns:stream='http://etherx.jabber.org/streams'>"
        try await line.send(header)
        _ = try await line.text(until: "</stream:features>")
        try await line.send("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        _ = try await line.text(until: "/>")
        try await line.startTLS(authorityFile: server.authorityFile)
        try await line.send(header)
        _ = try await line.text(until: "</stream:features>")
        let secret = Data("\0\(account.username)\0\(account.password)".utf8).base64EncodedString()
        try await line.send("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(secret)</auth>")
        let answer = try await line.text(until: ">")
        guard answer.contains("<success") else { throw HostileFailure("The attacker cannot log in: \(answer)") }
        await line.listen()
        try await line.send(header)
        try await line.next("features") { $0.localName == "features" }
        try await line.send(
            "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        let bound = try await line.next("bind") { $0["id"] == "bind" }
        guard let address = bound.firstChild?.firstChild?.text, !address.isEmpty else {
            throw HostileFailure("The attacker got no address: \(bound)")
        }
        self.address = address
    }

    package func send(_ text: String) async throws { try await line.send(text) }
}
