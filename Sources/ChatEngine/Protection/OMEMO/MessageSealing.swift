internal import ChatStore
internal import EndToEndEncryption
internal import FileSharing
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPStanzas

/// Encrypts messages for the devices that the recipients have.
struct MessageSealing: Sendable {
    let context: EncryptionContext
    let audiences: Audiences
    let planner: SealingPlanner
    let bundles: FetchedBundles

    func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage {
        var draft = KeyDraft(context.memory)
        let content = SealedContent(message)
        let audience = audiences[conversation]
        switch try await planner.plan(for: conversation, with: audience, isForLegacy: content.isForLegacy, &draft) {
        case .clear:
            // The key of an encrypted file must not reach a server.
            guard !message.holdsFileKey else {
                throw ProtectionError(.noDevice, "The file was encrypted, and nobody can read the key any more.")
            }
            return SealedMessage(message)
        case .sealed(var targets, let omitted):
            var sealed = try await seal(content, id: message.id, for: &targets, in: conversation, &draft)
            sealed.omitted = omitted
            try await draft.noteEncrypted(ConversationMoment(conversation: conversation, time: context.now()))
            for target in targets { bundles.used(target.peer) }
            sealed.change = draft.finish()
            return sealed
        }
    }

    private func seal(
        _ content: SealedContent, id: String?, for targets: inout [SealingTarget], in conversation: ConversationAddress,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> SealedMessage {
        let own = try context.own()
        let generations = Set(targets.map(\.peer.generation))
        var outer = content.outside(isForLegacy: generations.contains(.legacy))
        do throws(OMEMOError) {
            if generations.contains(.current) {
                let envelope = Envelope(
                    content.inside, from: context.address.description, to: conversation.address.bare.description,
                    time: nil)
                let payload = try EncryptedPayload(
                    try envelope.padded(using: context.cryptography), using: context.cryptography)
                let keys = try keys(with: payload.key, of: id, for: &targets, .current, &draft)
                outer.payloads.append(
                    OMEMOElement(.current, sender: own.keys.device, keys: keys, payload: payload.payload))
            }
            if generations.contains(.legacy), let body = content.body {
                let payload = try LegacyPayload(Array(body.utf8), using: context.cryptography)
                let keys = try keys(with: payload.key, of: id, for: &targets, .legacy, &draft)
                outer.payloads.append(
                    OMEMOElement(
                        .legacy, sender: own.keys.device, keys: keys, nonce: payload.nonce, payload: payload.payload))
            }
        } catch {
            throw ProtectionError(.ownKeys, error.description, cause: error)
        }
        let main: OMEMOGeneration = generations.contains(.current) ? .current : .legacy
        // A retraction for the legacy generation alone.
        guard outer.hasOMEMOElement else { return SealedMessage(outer) }
        let hint = EncryptionHint(main.namespace)
        outer.append(hint)
        // Programs that do not know the legacy generation show nothing of a message without a text. An envelope alone has
        // none beside it (XEP-0420 §7).
        if content.body != nil, generations.contains(.legacy) { outer.body = hint.fallbackBody }
        return SealedMessage(
            outer,
            .encrypted(
                scheme: main.namespace, device: own.identity.publicKey.fingerprint, trust: .verified))
    }

    /// The key of a payload for each device of a generation, those of one account together.
    private func keys(
        with key: SecretBytes, of id: String?, for targets: inout [SealingTarget], _ generation: OMEMOGeneration,
        _ draft: inout KeyDraft
    ) throws(OMEMOError) -> [OMEMOElement.RecipientKey] {
        var keys: [OMEMOElement.RecipientKey] = []
        for index in targets.indices where targets[index].peer.generation == generation {
            let peer = targets[index].peer
            guard let bytes = targets[index].session.sessions.first else { continue }
            var session = try OMEMOSession(serialized: bytes)
            let encrypted = try session.encrypt(key.bytes, using: context.cryptography)
            targets[index].session.put(session.serialized, replacing: 0)
            // The legacy generation has no copies.
            if generation == .current, let id {
                targets[index].session.sent.add(id, for: session.peer, using: context.cryptography)
            }
            draft.write(SessionShelf.name(peer), targets[index].session.record)
            keys.append(
                OMEMOElement.RecipientKey(
                    account: generation == .current ? peer.address.description : nil, device: peer.device, encrypted))
        }
        return keys
    }
}

/// The parts of a message that are encrypted, and those that stand beside them.
struct SealedContent {
    private let message: Message
    /// The elements for an envelope (XEP-0420).
    let inside: [XMLElement]
    /// The text for the legacy generation; `nil` if there is none.
    let body: String?
    private let isRetraction: Bool

    init(_ message: Message) {
        self.message = message
        inside = message.payloads.filter { !Message.staysOutside($0) }.map(SharedFile.encryptingSources)
        isRetraction = message.payloads.contains(MessageRetraction.name)
        let isReaction = message.payloads.contains(MessageReactions.name)
        body = isReaction || isRetraction ? nil : message.body
    }

    /// The legacy generation carries a text. Which message is taken back is said in clear there, as all its programs
    /// do; which emoji is meant would be readable, so reactions are not sent to it.
    var isForLegacy: Bool { body != nil || isRetraction }

    /// The message without what is encrypted.
    func outside(isForLegacy: Bool) -> Message {
        var outer = message.withoutEncryption
        guard isForLegacy else { return outer }
        for payload in message.payloads where Message.accompaniesLegacy(payload) { outer.payloads.append(payload) }
        if isRetraction {
            if let retraction = message.payloads.first(MessageRetraction.name) { outer.payloads.append(retraction) }
            outer.body = message.body
        }
        return outer
    }
}
