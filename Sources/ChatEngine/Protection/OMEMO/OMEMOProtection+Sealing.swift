public import ChatStore
internal import EndToEndEncryption
internal import MessageFeatures
internal import OMEMO
internal import XMLStreaming
internal import XMPPAddress
public import XMPPStanzas

extension OMEMOProtection {
    /// A device with the session to use.
    struct Target: Sendable {
        let peer: PeerDevice
        var session: SessionShelf
    }

    /// How a message of a conversation is sent now.
    enum Plan: Sendable {
        case clear(EncryptionForecast.ClearReason)
        case sealed([Target], omitted: [ProtectionError.Recipient])
    }

    public func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage {
        var draft = KeyDraft(memory)
        let content = SealedContent(message)
        let audience = audiences[conversation]
        switch try await plan(for: conversation, with: audience, isForLegacy: content.isForLegacy, &draft) {
        case .clear:
            // The key of an encrypted file must not reach a server.
            guard !message.holdsFileKey else {
                throw ProtectionError(.noDevice, "The file was encrypted, and nobody can read the key any more.")
            }
            return SealedMessage(message)
        case .sealed(var targets, let omitted):
            var sealed = try await seal(content, id: message.id, for: &targets, in: conversation, &draft)
            sealed.omitted = omitted
            try await draft.noteEncrypted(Moment(conversation: conversation, time: now()))
            for target in targets { bundles.used(target.peer) }
            sealed.change = draft.finish()
            return sealed
        }
    }

    /// Decides whether a message is encrypted, and for which devices.
    ///
    /// - Parameters:
    ///   - audience: who can read the conversation; `nil` if that was not requested.
    ///   - isForLegacy: the legacy generation can carry it.
    /// - Throws: why it must not be sent in clear and cannot be encrypted.
    func plan(
        for conversation: ConversationAddress, with audience: Result<Audience, ProtectionError>?, isForLegacy: Bool,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> Plan {
        let encryption = try await draft.encryption(of: conversation)
        if (encryption.policy ?? settings.policy) == .never { return .clear(.policy) }
        guard encryption.optOut == nil else {
            throw ProtectionError(.optedOut, "The other account asks for messages without encryption.")
        }
        let allowsClear = encryption.allowsClear(settings.policy)
        let readable: Audience
        switch audience {
        case .success(let known)?: readable = known
        case .failure(let error)?:
            if allowsClear, !error.isTemporary { return .clear(.room(error.code)) }
            throw error
        case nil: throw ProtectionError(.unreachable, "The devices were not asked for.", isTemporary: true)
        }
        let audience = readable
        var (targets, omitted) = try await targets(of: audience, in: conversation, &draft)
        if !isForLegacy {
            for target in targets where target.peer.generation == .legacy {
                omitted.append(.init(target.peer.address, device: target.peer.device.description, .notCarried))
            }
            targets.removeAll { $0.peer.generation == .legacy }
        }
        let readers = Set(targets.map(\.peer.address))
        let isForNobody = audience.recipients.isEmpty ? targets.isEmpty : readers.isDisjoint(with: audience.recipients)
        let withoutDevices = audience.recipients.filter { audience.listings[$0]?.devices.isEmpty ?? true }
        if allowsClear {
            // Not all recipients can decrypt, and nothing was encrypted before. Unknown devices are requested first.
            let isKnown = withoutDevices.allSatisfy { audience.listings[$0]?.error?.isTemporary == false }
            if !withoutDevices.isEmpty, isKnown { return .clear(.noDevice(withoutDevices)) }
            if audience.recipients.isEmpty, isForNobody { return .clear(.noDevice([address])) }
        }
        guard !isForNobody else { throw refusal(omitted, audience, withoutDevices) }
        return .sealed(
            targets,
            omitted: omitted + withoutDevices.map { .init($0, audience.listings[$0]?.error?.code ?? .noDevice) })
    }

    /// The error for a message that no recipient could decrypt.
    private func refusal(
        _ omitted: [ProtectionError.Recipient], _ audience: Audience, _ withoutDevices: [JID]
    ) -> ProtectionError {
        let others = omitted.filter { audience.recipients.contains($0.address) }
        let listing = withoutDevices.compactMap { audience.listings[$0]?.error }.first
        if others.isEmpty, let listing { return listing }
        let codes = others.map(\.code)
        let order: [ProtectionError.Code] = [.undecided, .distrusted, .notCarried, .unreachable]
        let code = order.first { codes.contains($0) } ?? .noDevice
        return ProtectionError(
            code, "No device of the receivers would be able to decrypt the message.", recipients: others,
            isTemporary: code == .unreachable)
    }

    /// The devices that will be able to read, and those that will not.
    private func targets(
        of audience: Audience, in conversation: ConversationAddress, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> (targets: [Target], omitted: [ProtectionError.Recipient]) {
        let own = try own()
        var targets: [Target] = []
        var omitted: [ProtectionError.Recipient] = []
        let moment = Moment(conversation: conversation, time: now())
        let excludesUnused = try await excludesUnusedDevices(draft)
        for address in audience.recipients + [address] {
            let sessions = try await draft.sessions(of: address)
            let unused = excludesUnused ? try await unusedDevices(of: address, draft) : []
            for device in audience.listings[address]?.devices ?? []
            where address != self.address || device.id != own.keys.device {
                guard !unused.contains(device.id) else {
                    omitted.append(.init(address, device: device.id.description, .unused))
                    continue
                }
                let announced = AnnouncedPeer(address: address, device: device)
                do throws(ProtectionError) {
                    let target = try target(announced, sessions, own)
                    let bytes = target.session.sessions.first ?? []
                    let identity: IdentityKey
                    do throws(OMEMOError) { identity = try OMEMOSession(serialized: bytes).peer } catch {
                        throw ProtectionError(opening: error)
                    }
                    let trust = try await trust(in: identity, of: target.peer, by: .bundle, at: moment, &draft)
                    guard trust.mayRead else {
                        throw ProtectionError(
                            trust == .distrusted ? .distrusted : .undecided, "The key is not trusted.")
                    }
                    targets.append(target)
                } catch {
                    omitted.append(.init(address, device: device.id.description, error.code))
                }
            }
        }
        return (targets, omitted)
    }

    /// The session to use with a device: that of the newest generation.
    private func target(
        _ announced: AnnouncedPeer, _ earlier: [String: [UInt8]], _ own: OwnDevice.Keys
    ) throws(ProtectionError) -> Target {
        // A device that once had the current generation is not addressed in the older one: hiding its announcement must
        // not lead to weaker messages.
        let known = announced.peer(in: .current)
        let sessions = earlier.filter { SessionShelf.canSend($0.value) }
        if let record = sessions[SessionShelf.name(known)] {
            return Target(peer: known, session: try SessionShelf(record))
        }
        var failure = ProtectionError(.noDevice, "The keys of the device were not asked for.")
        for generation in announced.generations {
            let peer = announced.peer(in: generation)
            if let record = sessions[SessionShelf.name(peer)] {
                return Target(peer: peer, session: try SessionShelf(record))
            }
            switch bundles.result(for: peer) {
            case .success(let bundle)?:
                var shelf = earlier[SessionShelf.name(peer)].flatMap { try? SessionShelf($0) } ?? SessionShelf()
                do throws(OMEMOError) {
                    let session = try OMEMOSession.initiate(
                        with: bundle, by: own.identity, device: own.keys.device, using: cryptography)
                    shelf.put(session.serialized)
                } catch {
                    throw ProtectionError(opening: error)
                }
                return Target(peer: peer, session: shelf)
            case .failure(let error)?: failure = error
            case nil: break
            }
        }
        throw failure
    }

    private func seal(
        _ content: SealedContent, id: String?, for targets: inout [Target], in conversation: ConversationAddress,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> SealedMessage {
        let own = try own()
        let generations = Set(targets.map(\.peer.generation))
        var outer = content.outside(isForLegacy: generations.contains(.legacy))
        do throws(OMEMOError) {
            if generations.contains(.current) {
                let envelope = Envelope(
                    content.inside, from: address.description, to: conversation.address.bare.description, time: nil)
                let payload = try EncryptedPayload(
                    try envelope.padded(using: cryptography), using: cryptography)
                let keys = try keys(with: payload.key, of: id, for: &targets, .current, &draft)
                outer.payloads.append(
                    OMEMOElement(.current, sender: own.keys.device, keys: keys, payload: payload.payload))
            }
            if generations.contains(.legacy), let body = content.body {
                let payload = try LegacyPayload(Array(body.utf8), using: cryptography)
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
        guard isSealed(outer) else { return SealedMessage(outer) }
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
        with key: SecretBytes, of id: String?, for targets: inout [Target], _ generation: OMEMOGeneration,
        _ draft: inout KeyDraft
    ) throws(OMEMOError) -> [OMEMOElement.RecipientKey] {
        var keys: [OMEMOElement.RecipientKey] = []
        for index in targets.indices where targets[index].peer.generation == generation {
            let peer = targets[index].peer
            guard let bytes = targets[index].session.sessions.first else { continue }
            var session = try OMEMOSession(serialized: bytes)
            let encrypted = try session.encrypt(key.bytes, using: cryptography)
            targets[index].session.put(session.serialized, replacing: 0)
            // The legacy generation has no copies.
            if generation == .current, let id {
                targets[index].session.sent.add(id, for: session.peer, using: cryptography)
            }
            draft.write(SessionShelf.name(peer), targets[index].session.record)
            keys.append(
                OMEMOElement.RecipientKey(
                    account: generation == .current ? peer.address.description : nil, device: peer.device, encrypted))
        }
        return keys
    }
}
