internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress

/// How a message of a conversation is sent now.
enum SealingPlan: Sendable {
    case clear(EncryptionForecast.ClearReason)
    case sealed([SealingTarget], omitted: [ProtectionError.Recipient])
}

/// A device with the session to use.
struct SealingTarget: Sendable {
    let peer: PeerDevice
    var session: SessionShelf
}

/// Decides whether a message is encrypted, and for which devices.
struct SealingPlanner: Sendable {
    let context: EncryptionContext
    let keyTrust: KeyTrust
    let bundles: FetchedBundles
    let unused: UnusedDevices

    /// - Parameters:
    ///   - audience: who can read the conversation; `nil` if that was not requested.
    ///   - isForLegacy: the legacy generation can carry it.
    /// - Throws: why it must not be sent in clear and cannot be encrypted.
    func plan(
        for conversation: ConversationAddress, with audience: Result<Audience, ProtectionError>?, isForLegacy: Bool,
        _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> SealingPlan {
        let encryption = try await draft.encryption(of: conversation)
        if (encryption.policy ?? context.settings.policy) == .never { return .clear(.policy) }
        guard encryption.optOut == nil else {
            throw ProtectionError(.optedOut, "The other account asks for messages without encryption.")
        }
        let allowsClear = encryption.allowsClear(context.settings.policy)
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
            if audience.recipients.isEmpty, isForNobody { return .clear(.noDevice([context.address])) }
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
    ) async throws(ProtectionError) -> (targets: [SealingTarget], omitted: [ProtectionError.Recipient]) {
        let own = try context.own()
        var targets: [SealingTarget] = []
        var omitted: [ProtectionError.Recipient] = []
        let moment = ConversationMoment(conversation: conversation, time: context.now())
        let excludesUnused = try await unused.areExcluded(draft)
        for address in audience.recipients + [context.address] {
            let sessions = try await draft.sessions(of: address)
            let excluded = excludesUnused ? try await unused.devices(of: address, draft) : []
            for device in audience.listings[address]?.devices ?? []
            where address != context.address || device.id != own.keys.device {
                guard !excluded.contains(device.id) else {
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
                    let trust = try await keyTrust.trust(in: identity, of: target.peer, by: .bundle, at: moment, &draft)
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
    ) throws(ProtectionError) -> SealingTarget {
        // A device that once had the current generation is not addressed in the older one: hiding its announcement must
        // not lead to weaker messages.
        let known = announced.peer(in: .current)
        let sessions = earlier.filter { SessionShelf.canSend($0.value) }
        if let record = sessions[SessionShelf.name(known)] {
            return SealingTarget(peer: known, session: try SessionShelf(record))
        }
        var failure = ProtectionError(.noDevice, "The keys of the device were not asked for.")
        for generation in announced.generations {
            let peer = announced.peer(in: generation)
            if let record = sessions[SessionShelf.name(peer)] {
                return SealingTarget(peer: peer, session: try SessionShelf(record))
            }
            switch bundles.result(for: peer) {
            case .success(let bundle)?:
                var shelf = earlier[SessionShelf.name(peer)].flatMap { try? SessionShelf($0) } ?? SessionShelf()
                do throws(OMEMOError) {
                    let session = try OMEMOSession.initiate(
                        with: bundle, by: own.identity, device: own.keys.device, using: context.cryptography)
                    shelf.put(session.serialized)
                } catch {
                    throw ProtectionError(opening: error)
                }
                return SealingTarget(peer: peer, session: shelf)
            case .failure(let error)?: failure = error
            case nil: break
            }
        }
        throw failure
    }
}
