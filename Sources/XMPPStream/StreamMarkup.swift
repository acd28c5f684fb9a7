package import SASLMechanisms
package import XMLStreaming
package import XMPPAddress
package import XMPPStanzas

/// The elements that negotiate and manage a stream, written out.
package enum StreamMarkup {
    /// What a client's stream begins with (RFC 6120 §4.7).
    ///
    /// The `from` is left out while the stream is unencrypted: an eavesdropper learns the account otherwise (§4.7.1).
    package static func header(to domain: String, from address: JID?) -> [UInt8] {
        XMLWriter.streamHeader(namespace: XMPPNamespace.client, to: domain, from: address?.bare.description)
    }

    /// What the stream of a component begins with (XEP-0114 §3): the receiver is the component itself, and there is no
    /// version.
    static func header(toComponent domain: String) -> [UInt8] {
        XMLWriter.streamHeader(namespace: StreamNamespace.component, to: domain, version: nil)
    }

    /// What a server's stream begins with.
    package static func header(from domain: String, id: String, version: String?) -> [UInt8] {
        XMLWriter.streamHeader(namespace: XMPPNamespace.client, from: domain, id: id, version: version)
    }

    package static let footer = XMLWriter.streamFooter

    /// One element with attributes and perhaps some text.
    package static func element(
        _ name: XMLName, _ attributes: KeyValuePairs<String, String?> = [:], text: String? = nil
    ) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(name)
        for (attribute, value) in attributes { writer.attribute(attribute, value) }
        if let text { writer.text(text) }
        writer.end()
        return writer.takeBytes()
    }

    package static func bytes(of value: some XMLEncodable) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.write(value)
        return writer.takeBytes()
    }

    package static func streamError(_ error: StreamError) -> [UInt8] { bytes(of: error) }

    // MARK: STARTTLS and SASL

    package static let startTLS = element(StreamName.startTLS)
    package static let proceed = element(StreamName.proceed)

    /// `<authenticate/>` (XEP-0388 §2.3) with all that travels together with it.
    static func authenticate(
        mechanism: String, initialResponse: [UInt8]?, userAgent: UserAgent?, tag: String?, isResumable: Bool,
        _ request: StreamNegotiation.InlineRequest
    ) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.authenticate)
        writer.attribute("mechanism", mechanism)
        if let initialResponse {
            writer.element(StreamName.initialResponse, text: Base64.encode(initialResponse))
        }
        if let userAgent {
            writer.start(StreamName.userAgent)
            writer.attribute("id", userAgent.id)
            if let software = userAgent.software { writer.element(StreamName.software, text: software) }
            if let device = userAgent.device { writer.element(StreamName.device, text: device) }
            writer.end()
        }
        if let resumption = request.resumption {
            writer.start(StreamName.resume)
            writer.attribute("h", String(resumption.handledCount))
            writer.attribute("previd", resumption.id)
            writer.end()
        }
        if request.binds {
            writer.start(StreamName.bind2)
            if let tag { writer.element(StreamName.bind2Tag, text: tag) }
            if request.managesStream {
                writer.start(StreamName.enable)
                writer.attribute("resume", isResumable ? "true" : nil)
                writer.end()
            }
            for feature in request.features { writer.write(feature.element) }
            writer.end()
        }
        if request.usesToken { writer.element(StreamName.fast) }
        if let mechanism = request.tokenMechanism {
            writer.start(StreamName.requestToken)
            writer.attribute("mechanism", mechanism.rawValue)
            writer.end()
        }
        writer.end()
        return writer.takeBytes()
    }

    /// `<auth/>` (RFC 6120 §6.4.2): no initial response is no text, an empty one is `=`.
    package static func authenticate(mechanism: String, initialResponse: [UInt8]?) -> [UInt8] {
        element(StreamName.auth, ["mechanism": mechanism], text: initialResponse.map(encode))
    }

    package static func response(_ data: [UInt8]) -> [UInt8] {
        element(StreamName.response, text: data.isEmpty ? nil : encode(data))
    }

    package static func challenge(_ data: [UInt8]) -> [UInt8] {
        element(StreamName.challenge, text: data.isEmpty ? nil : encode(data))
    }

    package static func success(_ data: [UInt8]?) -> [UInt8] {
        element(StreamName.success, text: data.map(encode))
    }

    private static func encode(_ data: [UInt8]) -> String { data.isEmpty ? "=" : Base64.encode(data) }

    package static func saslFailure(_ condition: SASLFailureCondition) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.element(StreamName.saslFailure) { writer in
            writer.element(XMLName(condition.rawValue, StreamNamespace.sasl))
        }
        return writer.takeBytes()
    }

    /// `<failure/>` of XEP-0388 §2.6.2; the condition keeps the namespace of RFC 6120.
    package static func extensibleFailure(_ condition: SASLFailureCondition) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.element(StreamName.failure2) { writer in
            writer.element(XMLName(condition.rawValue, StreamNamespace.sasl))
        }
        return writer.takeBytes()
    }

    /// The data of `<auth/>`, `<challenge/>`, `<response/>` or `<success/>`; the outer nil is not base64, the inner
    /// one is "no data".
    package static func data(of element: XMLElement) -> [UInt8]?? {
        let text = element.text.trimmingXMLWhitespace()
        if text.isEmpty { return .some(nil) }
        if text == "=" { return .some([]) }
        guard let data = Base64.decode(text) else { return nil }
        return .some(data)
    }

    // MARK: Binding

    /// The request for a resource (RFC 6120 §7.6, §7.7).
    package static func bind(id: String, resource: String?) -> [UInt8] {
        request(id: id) { writer in
            writer.start(StreamName.bind)
            if let resource { writer.element(StreamName.resource, text: resource) }
            writer.end()
        }
    }

    package static func session(id: String) -> [UInt8] {
        request(id: id) { writer in
            writer.start(StreamName.session)
            writer.end()
        }
    }

    /// A ping to our server (XEP-0199 §4.2), or of a component to itself: it does not know the address of the server,
    /// which returns the ping.
    package static func ping(id: String, ofComponent component: JID? = nil) -> [UInt8] {
        request(id: id, type: "get") { writer in
            writer.attribute("from", component?.description)
            writer.attribute("to", component?.description)
            writer.start(StreamName.ping)
            writer.end()
        }
    }

    private static func request(id: String, type: String = "set", _ payload: (inout XMLWriter) -> Void) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.iq)
        writer.attribute("type", type)
        writer.attribute("id", id)
        payload(&writer)
        writer.end()
        return writer.takeBytes()
    }

    // MARK: Stream management

    package static func enable(resumable: Bool) -> [UInt8] {
        element(StreamName.enable, ["resume": resumable ? "true" : nil])
    }

    package static func resume(previousID: String, handled: UInt32) -> [UInt8] {
        element(StreamName.resume, ["h": String(handled), "previd": previousID])
    }

    package static func resumed(previousID: String, handled: UInt32) -> [UInt8] {
        element(StreamName.resumed, ["h": String(handled), "previd": previousID])
    }

    package static func enabled(_ promise: StreamManagement.Promise) -> [UInt8] {
        element(
            StreamName.enabled,
            [
                "id": promise.id, "resume": promise.isResumable ? "true" : nil,
                "max": promise.maximumSeconds.map { String($0) }, "location": promise.location,
            ])
    }

    package static func failed(_ condition: StanzaError.Condition, handled: UInt32?) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.failed)
        writer.attribute("h", handled.map { String($0) })
        writer.element(XMLName(condition.rawValue, XMPPNamespace.stanzaErrors))
        writer.end()
        return writer.takeBytes()
    }

    package static func answer(_ handled: UInt32) -> [UInt8] {
        element(StreamName.answer, ["h": String(handled)])
    }

    package static let request = element(StreamName.request)

    /// The stream error for an acknowledgement of what was never sent (XEP-0198 §6).
    package static func handledCountTooHigh(handled: UInt32, sent: UInt32) -> [UInt8] {
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.error)
        writer.start(XMLName(StreamError.Condition.undefinedCondition.rawValue, XMPPNamespace.streamErrors))
        writer.end()
        writer.start(StreamName.handledCountTooHigh)
        writer.attribute("h", String(handled))
        writer.attribute("send-count", String(sent))
        writer.end()
        writer.end()
        return writer.takeBytes()
    }
}
