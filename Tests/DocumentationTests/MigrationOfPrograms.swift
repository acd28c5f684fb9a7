import ChatEngine
import ChatModel
import ChatStore
import CredentialStore
import Media
import XMPPAddress
import XMPPClient

// Documentation/Migration.md shows the lines of this file beside those of programs with XMPPFramework. What compiles here is not run.

@MainActor
private func manage(_ nurse: JID, _ media: MediaCache) async throws {
    let configuration = try ClientConfiguration.environment()
    let store = try await SQLiteStore.open(at: "/home/juliet/chat.db")
    let id = try await store.write { writer throws(StoreError) in try writer.addAccount(configuration.address) }
    let account = ChatAccount(id, configuration: configuration, store: store, media: media)
    try await Client(configuration).registerAccount()
    try await CredentialStore.open().save(password: "secret", for: "juliet@example.org")
    try await account.run()
    for await event in account.events() {
        switch event {
        case .connection(.online): break
        case .connection(.offline(let reason, _)): print(reason as Any)
        default: break
        }
    }
    let key = ConversationKey(account: id, address: nurse, kind: .direct)
    let timeline = Timeline(key, store: store, actions: account)
    await timeline.open()
    let messages: [StoredMessage] = timeline.messages
    for message in messages { print(message.time, message.isOutgoing) }
    _ = try await account.send(.text(MessageText("Good evening")), in: key)
    await account.close()
}

@MainActor
private func record(_ bytes: [UInt8], _ media: MediaCache) async throws {
    _ = try await PictureChoice(bytes, name: "goose.jpg").attachment(in: media)
    _ = try await VoiceMessage.make(fromFile: "hello.wav")
    _ = try VoiceRecorder(from: .microphone(), to: "hello.ogg")
}
