import SASLMechanisms
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The server side of XEP-0388: the login together with inline features.
extension ServerStream {
    mutating func authenticateExtensibly(
        _ element: XMLElement, _ ground: Ground, _ directory: inout ServerDirectory
    ) {
        let name = SASLMechanismName(rawValue: element["mechanism"] ?? "")
        let usesToken = element.firstChild(StreamName.fast) != nil
        let offered = usesToken ? configuration.tokenMechanisms : configuration.mechanisms
        guard offered.contains(name), !usesToken || configuration.supported.features.contains(.fast),
            let mechanism = makeMechanism(name, ground, directory)
        else {
            write(StreamMarkup.extensibleFailure(.invalidMechanism))
            return
        }
        var message: [UInt8]?
        if let text = element.firstChild(StreamName.initialResponse)?.text {
            guard let data = Base64.decode(text) else {
                write(StreamMarkup.extensibleFailure(.incorrectEncoding))
                return
            }
            message = data
        }
        perform(message, Exchange(ground: ground, mechanism: mechanism, request: element), &directory)
    }

    mutating func extensibleElementReceived(
        _ element: XMLElement, _ exchange: Exchange, _ directory: inout ServerDirectory
    ) {
        if element.isNamed(StreamName.abort2) {
            state = .offering(exchange.ground)
            write(StreamMarkup.extensibleFailure(.aborted))
        } else if element.isNamed(StreamName.response2), let message = Base64.decode(element.text) {
            perform(message, exchange, &directory)
        } else {
            fail(.notAuthorized, &directory)
        }
    }

    /// `<success/>` with the inline results, the unacknowledged stanzas of an earlier session, and the features.
    mutating func admit(
        _ ground: Ground, username: String, data: [UInt8]?, mechanism: SASLMechanismName, request: XMLElement,
        _ directory: inout ServerDirectory
    ) {
        var ground = ground
        var writer = XMLWriter(defaultNamespace: XMPPNamespace.client, inStream: true)
        writer.start(StreamName.success2)
        if let data { writer.element(StreamName.additionalData, text: Base64.encode(data)) }
        var address = try? JID(local: username, domain: configuration.domain)
        var replay: [[UInt8]] = []
        var reported: [ServerStreamAction] = []
        if let resume = request.firstChild(StreamName.resume),
            configuration.supported.features.contains(.inlineResumption)
        {
            if let id = resume["previd"], let handled = resume.handledCount, let session = directory.suspended[id],
                session.address.local == username
            {
                management.resumeRequested(session)
                guard
                    case .resumed(let tokens, let unhandled, let bound) = management.resumed(
                        previousID: id, handled: handled)
                else { return fail(.undefinedCondition, &directory) }
                directory.suspended[id] = nil
                writer.start(StreamName.resumed)
                writer.attribute("h", String(session.handledCount))
                writer.attribute("previd", id)
                writer.end()
                (address, replay) = (bound, unhandled)
                ground.standing.formUnion([.bound, .managed])
                reported.append(.resumed(bound))
                if !tokens.isEmpty { reported.append(.acknowledged(tokens)) }
            } else {
                writer.start(StreamName.failed)
                writer.attribute("h", resume["previd"].flatMap { directory.expired[$0] }.map { String($0) })
                writer.element(XMLName(StanzaError.Condition.itemNotFound.rawValue, XMPPNamespace.stanzaErrors))
                writer.end()
            }
        }
        if !ground.standing.contains(.bound), let bind = request.firstChild(StreamName.bind2),
            configuration.supported.features.contains(.bind2)
        {
            let tag = bind.firstChild(StreamName.bind2Tag)?.text ?? "r"
            address = try? JID(
                local: username, domain: configuration.domain, resource: "\(tag)/\(directory.nextNumber())")
            if let address {
                directory.boundAddresses.insert(address)
                ground.standing.formUnion([.bound, .sessionStarted])
                reported.append(.bound(address))
                writer.start(StreamName.bound)
                if let enable = bind.firstChild(StreamName.enable) {
                    let promise = makePromise(isWanted: enable.isTrue("resume"), &directory)
                    management.enabledSent(promise, address: address)
                    ground.standing.insert(.managed)
                    writer.start(StreamName.enabled)
                    writer.attribute("id", promise.id)
                    writer.attribute("resume", promise.isResumable ? "true" : nil)
                    writer.attribute("max", promise.maximumSeconds.map { String($0) })
                    writer.attribute("location", promise.location)
                    writer.end()
                }
                writer.end()
            }
        }
        if let wanted = issuedMechanism(request, mechanism) {
            let token = directory.issueToken(to: username, for: wanted, secret: configuration.nonce)
            writer.start(StreamName.token)
            writer.attribute("token", token)
            writer.attribute("expiry", "2036-01-01T00:00:00Z")
            writer.end()
        }
        writer.element(StreamName.authorizationIdentifier, text: address?.description ?? "")
        writer.end()
        write(writer.takeBytes())
        actions.append(.authenticated(username: username, mechanism: mechanism.rawValue))
        actions += reported
        // Prosody sends these before the features, so clients must accept it.
        for stanza in replay { write(stanza) }
        if !replay.isEmpty { write(StreamMarkup.request) }
        if ground.standing.contains(.bound), let address {
            state = .bound(Bound(address: address, standing: ground.standing))
        } else {
            state = .offering(ground)
        }
        offer(at: ground.standing)
    }

    /// The mechanism of the token to issue: the requested one, or the mechanism of the token that was used to log in.
    private func issuedMechanism(_ request: XMLElement, _ mechanism: SASLMechanismName) -> SASLMechanismName? {
        guard configuration.supported.features.contains(.fast) else { return nil }
        if let wanted = request.firstChild(StreamName.requestToken)?["mechanism"].map(SASLMechanismName.init) {
            return configuration.tokenMechanisms.contains(wanted) ? wanted : nil
        }
        return configuration.rotatesTokens && mechanism.hashedToken != nil ? mechanism : nil
    }
}
