public import ChatEngine
public import ChatStore
public import Observation
public import XMPPAddress

/// The settings of a room, and the accounts with a standing in it, for its owners and admins.
@MainActor
@Observable
public final class RoomSettingsModel {
    public let key: ConversationKey
    /// The settings as they will be saved.
    public var configuration = RoomConfiguration()
    public private(set) var affiliates: [RoomAffiliate] = []
    public private(set) var isLoaded = false
    public private(set) var isWorking = false
    /// Why the last request failed, as a sentence for the user.
    public private(set) var failure: String?

    /// The settings as the room has them.
    private var saved = RoomConfiguration()
    @ObservationIgnored private let account: ChatAccount
    /// Whether the settings and the picture can be changed.
    public let isOwner: Bool

    /// - Parameter isOwner: admins change the standing of members, but not the settings.
    public init(_ key: ConversationKey, account: ChatAccount, isOwner: Bool) {
        self.key = key
        self.account = account
        self.isOwner = isOwner
    }

    public var hasChanges: Bool { configuration != saved }

    /// Reads the settings and the lists.
    public func load() async {
        let room = key.address
        await attempt { [isOwner] account throws(RoomFailure) in
            let configuration = isOwner ? try await account.rooms.configuration(of: room) : nil
            return (configuration, try await account.rooms.affiliates(of: room))
        } done: { model, result in
            if let configuration = result.0 {
                model.saved = configuration
                model.configuration = configuration
            }
            model.affiliates = result.1
            model.isLoaded = true
        }
    }

    /// Saves the settings. Returns whether that succeeded.
    @discardableResult
    public func save() async -> Bool {
        let (room, now, before) = (key.address, configuration, saved)
        guard now != before else { return true }
        await attempt { account throws(RoomFailure) in
            try await account.rooms.configure(room, now, before: before)
        } done: { model, _ in
            model.saved = now
        }
        return failure == nil
    }

    /// Changes the standing of an account; `nil` removes it.
    public func setStanding(_ standing: RoomAffiliate.Standing?, of address: JID) async {
        let room = key.address
        await attempt { account throws(RoomFailure) in
            try await account.rooms.setStanding(standing, of: address, in: room)
            return try await account.rooms.affiliates(of: room)
        } done: { model, affiliates in
            model.affiliates = affiliates
        }
    }

    /// Publishes the picture of the room; `nil` removes it.
    public func setPicture(_ bytes: [UInt8]?) async {
        guard !isWorking else { return }
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do throws(OwnProfileFailure) {
            try await account.rooms.setPicture(bytes, of: key.address)
        } catch {
            failure = Wording.failure(error)
        }
    }

    /// Clears ``failure`` after it was shown.
    public func clearFailure() { failure = nil }

    private func attempt<Result: Sendable>(
        _ body: @Sendable (ChatAccount) async throws(RoomFailure) -> Result,
        done: (RoomSettingsModel, Result) -> Void
    ) async {
        guard !isWorking else { return }
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do throws(RoomFailure) {
            done(self, try await body(account))
        } catch {
            failure = Wording.failure(error)
        }
    }
}
