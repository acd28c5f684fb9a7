// Logging in and binding in other ways.
import Hongyan

/// A server that names devices itself: `<device xmlns='urn:example:device'/>`, then `<bound>address</bound>`.
struct DeviceBinding: CustomBinding {
    let feature = XMLName("device", "urn:example:device")
    let request: XMLElement

    init() throws { request = try XMLElement(parsing: "<device xmlns='urn:example:device'/>") }

    func begin(for account: JID) -> CustomBindingStep { .send(request) }

    func received(_ element: XMLElement) -> CustomBindingStep {
        guard element.name.local == "bound", let address = try? JID(element.text) else { return .standard }
        return .bound(address)
    }
}

func configuration(_ address: JID, certificate: String, key: String) throws -> ClientConfiguration {
    let identity = TLSIdentity(certificateChainFile: certificate, privateKeyFile: key)
    var configuration = ClientConfiguration(address: address, identity: identity)
    configuration.proxy = try Proxy("socks5h://127.0.0.1:9050")
    configuration.negotiation = .standard.binding(with: try DeviceBinding())
    return configuration
}
