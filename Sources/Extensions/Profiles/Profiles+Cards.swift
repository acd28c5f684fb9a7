internal import PublishSubscribe
internal import XMLStreaming
public import XMPPAddress
internal import XMPPClient

extension Profiles {
    /// Publishes our nickname for contacts; `nil` removes it (XEP-0172).
    public func publish(nickname: String?) async throws(ProfileError) {
        try await publish(ProfileNickname(nickname ?? ""), id: "current", in: ProfileNickname.node)
    }

    /// The vCard of an account; `nil` if it has none (XEP-0292).
    public func card(of account: JID) async throws(ProfileError) -> VCard? {
        do throws(ClientError) {
            return try await session.request(VCardRequest(), to: account.bare)
        } catch {
            switch error.stanzaError?.condition {
            case .itemNotFound?: return nil
            case .serviceUnavailable?, .featureNotImplemented?: return try await publishedCard(of: account.bare)
            default: throw ProfileError(error)
            }
        }
    }

    /// Servers that do not answer on behalf of the account may still have its card as a personal event.
    private func publishedCard(of account: JID) async throws(ProfileError) -> VCard? {
        guard let data = session[PublishSubscribe.self] else { return nil }
        do throws(ClientError) {
            let item = try await data.items(of: VCard.node, at: account, maximum: 1).items.last
            return (try? item?.decode(VCard.self)) ?? nil
        } catch  where error.stanzaError != nil {
            return nil
        } catch {
            throw ProfileError(error)
        }
    }

    /// Replaces our vCard. Change the result of ``card(of:)``, so that no other property is lost.
    public func publish(_ card: VCard) async throws(ProfileError) {
        try await publish(card, id: "current", in: VCard.node)
    }

    /// The older vCard of an account or of an occupant of a room; `nil` if there is none (XEP-0054).
    public func legacyCard(of address: JID) async throws(ProfileError) -> LegacyVCard? {
        do throws(ClientError) {
            return try await session.request(LegacyVCardRequest(), to: address).card
        } catch {
            switch error.stanzaError?.condition {
            case .itemNotFound?, .serviceUnavailable?, .featureNotImplemented?: return nil
            default: throw ProfileError(error)
            }
        }
    }

    /// Replaces our older vCard. Change the result of ``legacyCard(of:)``, so that no other property is lost.
    public func publish(_ card: LegacyVCard) async throws(ProfileError) {
        do throws(ClientError) {
            _ = try await session.request(LegacyVCardChange(card))
        } catch {
            throw ProfileError(error)
        }
    }

    func publish(_ payload: some XMLEncodable, id: String?, in node: String) async throws(ProfileError) {
        guard let data = session[PublishSubscribe.self] else {
            throw ProfileError(.refused, "Profiles need the extension PublishSubscribe in the configuration.")
        }
        do throws(ClientError) {
            try await data.publish(payload, id: id, in: node)
        } catch {
            throw ProfileError(error)
        }
    }
}
