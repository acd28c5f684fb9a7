import SASLMechanisms
import XMLStreaming
import XMPPStream

extension ServerStream {
    mutating func authenticate(
        _ element: XMLElement, _ ground: Ground, _ directory: inout ServerDirectory
    ) {
        let name = SASLMechanismName(rawValue: element["mechanism"] ?? "")
        guard configuration.mechanisms.contains(name), let mechanism = makeMechanism(name, ground, directory) else {
            write(StreamMarkup.saslFailure(.invalidMechanism))
            return
        }
        guard let message = StreamMarkup.data(of: element) else {
            write(StreamMarkup.saslFailure(.incorrectEncoding))
            return
        }
        perform(message, Exchange(ground: ground, mechanism: mechanism), &directory)
    }

    func makeMechanism(
        _ name: SASLMechanismName, _ ground: Ground, _ directory: ServerDirectory
    ) -> (any SASLServerMechanism)? {
        let passwords = directory.passwords
        if let hash = name.scramHash, let digest = configuration.digests[hash] {
            let (salt, iterations) = (configuration.salt, configuration.iterations)
            let settings = SCRAMServer.Configuration(
                digest: digest, isChannelBound: name.isChannelBound,
                channelBindings: ground.tls?.channelBindings ?? [], nonce: configuration.nonce,
                signedOffer: configuration.signsOffer
                    ? SASLOffer(
                        mechanisms: configuration.mechanisms.map(\.rawValue),
                        channelBindings: configuration.channelBindingTypes) : nil,
                offersChannelBinding: configuration.mechanisms.contains { $0.isChannelBound })
            return SCRAMServer(configuration: settings) { username in
                passwords[username].flatMap {
                    SCRAMServerKeys(password: $0, salt: salt, iterations: iterations, digest: digest)
                }
            }
        }
        if let (hash, kind) = name.hashedToken, let digest = configuration.digests[hash] {
            let binding = ground.tls?.channelBindings.first { $0.kind == kind }
            guard kind == nil || binding != nil else { return nil }
            let tokens = directory.tokens
            return HashedTokenServer(digest: digest, binding: binding) { username in
                (tokens[username] ?? []).filter { $0.mechanism == name }.map(\.token)
            }
        }
        switch name {
        case .plain: return PlainServer(isEncrypted: ground.tls != nil) { passwords[$0] == $1 }
        case .anonymous: return AnonymousServer()
        default: return nil
        }
    }

    mutating func saslElementReceived(
        _ element: XMLElement, _ exchange: Exchange, _ directory: inout ServerDirectory
    ) {
        if element.isNamed(StreamName.abort) {
            state = .offering(exchange.ground)
            write(StreamMarkup.saslFailure(.aborted))
        } else if element.isNamed(StreamName.response) {
            guard let message = StreamMarkup.data(of: element) else {
                state = .offering(exchange.ground)
                write(StreamMarkup.saslFailure(.incorrectEncoding))
                return
            }
            perform(message ?? [], exchange, &directory)
        } else {
            fail(.notAuthorized, &directory)
        }
    }

    mutating func perform(
        _ message: [UInt8]?, _ exchange: Exchange, _ directory: inout ServerDirectory
    ) {
        var exchange = exchange
        switch exchange.mechanism.messageReceived(message) {
        case .challenge(let data):
            write(
                exchange.request == nil
                    ? StreamMarkup.challenge(data)
                    : StreamMarkup.element(StreamName.challenge2, text: Base64.encode(data)))
            state = .authenticating(exchange)
        case .success(let identity, let data):
            var ground = exchange.ground
            let username = identity.username.isEmpty ? "anonymous-\(directory.nextNumber())" : identity.username
            ground.username = username
            ground.standing.insert(.authenticated)
            if let request = exchange.request {
                admit(
                    ground, username: username, data: data, mechanism: exchange.mechanism.name, request: request,
                    &directory)
                return
            }
            write(StreamMarkup.success(data))
            state = .opening(ground)
            parser.reset()
            actions.append(.authenticated(username: username, mechanism: exchange.mechanism.name.rawValue))
        case .failure(let condition, _):
            write(
                exchange.request == nil
                    ? StreamMarkup.saslFailure(condition) : StreamMarkup.extensibleFailure(condition))
            state = .offering(exchange.ground)
        }
    }
}
