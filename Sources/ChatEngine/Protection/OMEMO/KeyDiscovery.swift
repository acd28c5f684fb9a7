internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress

/// Finds the keys of devices that were never seen, so that the person learns of one that needs a decision.
struct KeyDiscovery: Sendable {
    let context: EncryptionContext
    let bundles: FetchedBundles
    let keyTrust: KeyTrust
    let strangers: Strangers

    /// Requests the keys of devices that were never seen, or that a label is checked with, and records them.
    ///
    /// - Returns: whether there were any.
    func seeKeys(of listing: DeviceListing, from directory: any KeyDirectory) async throws(ProtectionError)
        -> Bool
    {
        let own = try context.own()
        let known = Set(try await KeyDraft(context.memory).knownKeys(of: listing.account).values.map(\.device))
        let unseen = listing.devices.filter { device in
            if listing.account == context.address, device.id == own.keys.device { return false }
            if case .unchecked = device.label { return true }
            return !known.contains(device.id)
        }.map { AnnouncedPeer(address: listing.account, device: $0) }
        guard !unseen.isEmpty else { return false }
        await bundles.fetch(unseen, from: directory)
        await recordKeys(of: unseen, in: ConversationAddress(listing.account, kind: .direct))
        return true
    }

    /// Records the keys of devices whose bundles are here, as if a message was sent: a key that needs a decision is
    /// noted in the conversation, once.
    func recordKeys(of peers: [AnnouncedPeer], in conversation: ConversationAddress) async {
        let found = peers.flatMap { peer in peer.generations.map { peer.peer(in: $0) } }
        let moment = ConversationMoment(conversation: conversation, time: context.now())
        // A key that is refused stays unknown.
        try? await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            for device in found {
                guard let bundle = bundles.bundle(of: device) else { continue }
                var attempt = draft
                guard
                    (try? await keyTrust.trust(in: bundle.identityKey, of: device, by: .bundle, at: moment, &attempt))
                        != nil
                else { continue }
                draft = attempt
            }
        }
    }

    /// The devices whose bundles are here and have keys that were never seen.
    func newKeys(in audience: Audience) async -> [AnnouncedPeer] {
        var peers: [AnnouncedPeer] = []
        for (address, listing) in audience.listings {
            guard let known = try? await KeyDraft(context.memory).knownKeys(of: address) else { continue }
            for device in listing.devices {
                let peer = AnnouncedPeer(address: address, device: device)
                let isNew = peer.generations.contains { generation in
                    guard let bundle = bundles.bundle(of: peer.peer(in: generation)) else { return false }
                    return known[bundle.identityKey.fingerprint] == nil
                }
                if isNew { peers.append(peer) }
            }
        }
        return peers
    }

    /// The server has announced other devices of an account. Where messages of a contact are encrypted, the keys are
    /// requested now, so that the person learns of one that needs a decision before the next message.
    func listChanged(_ listing: DeviceListing) async {
        guard listing.account != context.address else { return }
        // Lists also come before the keys of this device are published.
        await context.servers.published.wait()
        guard let directory = context.servers.directory else { return }
        let conversation = ConversationAddress(listing.account, kind: .direct)
        guard let encryption = try? await KeyDraft(context.memory).encryption(of: conversation),
            encryption.wasEncrypted,
            (try? await strangers.isKnownPerson(listing.account)) == true
        else { return }
        _ = try? await seeKeys(of: listing, from: directory)
    }
}
