import ChatEngine
import ChatModel
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

extension ChatHome {
    /// Starts, and returns when each account has reported its (empty) contact requests once, so that this does not
    /// interfere with the test.
    @MainActor
    func begin(with accounts: [AccountID]) async throws {
        let stranger = ContactRequest(address: try JID("stranger@verona.example"))
        for id in accounts { contacts.show(requests: [stranger], of: id) }
        await start()
        let contacts = contacts
        try #require(await Toolkit.eventually { contacts.requests.elements.isEmpty })
        await Toolkit.settle()
    }
}
