import HongyanTesting
import Synchronization
import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// A binding of a program: the device names itself, and the server assigns the address.
private struct DeviceBinding: CustomBinding {
    let feature = XMLName("device", "urn:example:device")

    func begin(for account: JID) -> CustomBindingStep {
        .send(
            XMLElement(feature) { writer in
                writer.attribute("name", "desk")
            })
    }

    func received(_ element: XMLElement) -> CustomBindingStep {
        guard element.name == XMLName("bound", feature.namespace), let address = try? JID(element.text) else {
            return .failed("The server assigned no address.")
        }
        return .bound(address)
    }
}

/// The elements with which devices named themselves.
private final class Said: Sendable {
    private let elements = Mutex<[String]>([])

    var all: [String] { elements.withLock { $0 } }
    func add(_ element: String) { elements.withLock { $0.append(element) } }
}

/// Turns a server with the binding of RFC 6120 into one with that of the device.
private struct DeviceTransport: Transport {
    let base: any Transport
    let said: Said
    let refuses: Bool

    func read() async throws(TransportError) -> [UInt8] {
        var text = String(decoding: try await base.read(), as: UTF8.self)
        if let offer = text.firstRange(of: "<bind xmlns=") {
            text.insert(contentsOf: "<device xmlns='urn:example:device'/>", at: offer.lowerBound)
        }
        if let start = text.firstRange(of: "<jid>"), let end = text.firstRange(of: "</jid>") {
            let address = text[start.upperBound..<end.lowerBound]
            let bound =
                refuses ? "<none xmlns='urn:example:device'/>" : "<bound xmlns='urn:example:device'>\(address)</bound>"
            guard let from = text.firstRange(of: "<iq"), let to = text.firstRange(of: "</iq>") else {
                return Array(text.utf8)
            }
            text.replaceSubrange(from.lowerBound..<to.upperBound, with: bound)
        }
        return Array(text.utf8)
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        var text = String(decoding: bytes, as: UTF8.self)
        if let start = text.firstRange(of: "<device "), let end = text[start.lowerBound...].firstRange(of: "/>") {
            said.add(String(text[start.lowerBound..<end.upperBound]))
            text.replaceSubrange(
                start.lowerBound..<end.upperBound,
                with: "<iq type='set' id='d'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<resource>desk</resource></bind></iq>")
        }
        try await base.write(Array(text.utf8))
    }

    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}

@Suite("A binding of a program in a client", .timeLimit(.minutes(5)))
struct CustomBindingClientTests {
    private static func configuration(
        _ server: MemoryServer, _ said: Said, refuses: Bool = false
    ) throws -> ClientConfiguration {
        try server.account("alice") { configuration in
            configuration.negotiation = .standard.binding(with: DeviceBinding())
            let connect = configuration.transports.connect
            configuration.transports = TransportFactory { target throws(TransportError) in
                DeviceTransport(base: try await connect(target), said: said, refuses: refuses)
            }
        }
    }

    @Test("S0-36: a client binds as the program says, and chats")
    func binds() async throws {
        let server = MemoryServer { $0.offered = NegotiationPlan([.startTLS, .sasl, .binding]) }
        let said = Said()
        try await Client(try Self.configuration(server, said)).run { session in
            #expect(await session.address?.description == "alice@xmpp.test/desk")
            #expect(said.all == ["<device xmlns='urn:example:device' name='desk'/>"])
            _ = try await session.request(Ping())
        }
    }

    @Test("S0-36: when the server assigns no address, the login ends with the reason of the program")
    func fails() async throws {
        let server = MemoryServer { $0.offered = NegotiationPlan([.startTLS, .sasl, .binding]) }
        let configuration = try Self.configuration(server, Said(), refuses: true)
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        #expect(error?.description.contains("assigned no address") == true)
    }
}
