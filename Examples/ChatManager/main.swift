// ChatManager ADDRESS PASSWORD-FILE [--register]
//
// A chat program in one terminal: contacts in sections, one conversation at a time with its history, text, pictures and voice.
// Documentation/Tutorial.md explains it step by step. XMPP_HOST, XMPP_PORT and XMPP_CA in the environment lead to a server that DNS
// does not know; RECEIVED is the folder for files, by default `received`.
import Foundation
import Hongyan

let words = CommandLine.arguments
guard words.count == 3 || words.count == 4 && words[3] == "--register" else {
    print("Usage: ChatManager ADDRESS PASSWORD-FILE [--register]")
    exit(ClientError.ExitClass.usage.rawValue)
}

do {
    let environment = ProcessInfo.processInfo.environment
    let password = try String(contentsOfFile: words[2], encoding: .utf8).prefix { !$0.isNewline }
    var configuration = ClientConfiguration(address: try JID(words[1]), password: String(password))
    configuration.host = environment["XMPP_HOST"]
    configuration.port = environment["XMPP_PORT"].flatMap { UInt16($0) }
    if let authority = environment["XMPP_CA"] { configuration.trust = .certificateAuthority(authority) }

    configuration.reconnection = .standard
    configuration.add {
        ServiceDiscovery($0, identity: .init(category: "client", type: "console", name: "Chat Manager"))
    }
    configuration.add { Roster($0) }
    configuration.add { _ in DeliveryReceipts() }
    configuration.add { _ in Carbons() }
    configuration.add { MessageArchive($0) }
    configuration.add { FileSharing($0) }

    let client = Client(configuration)
    if words.count == 4 { try await client.registerAccount() }
    let account = configuration.address.bare
    try await client.run { session in
        let chat = ChatManager(session: session, account: account, folder: environment["RECEIVED"] ?? "received")
        try await chat.run(lines: keyboardLines())
    }
} catch {
    FileHandle.standardError.write(Data("ChatManager: \(error)\n".utf8))
    exit((error as? ClientError)?.exitClass.rawValue ?? 1)
}

/// What the user types, line by line. `readLine` blocks its thread, so it has one of its own.
func keyboardLines() -> AsyncStream<String> {
    AsyncStream { lines in
        Thread.detachNewThread {
            while let line = readLine() { lines.yield(line) }
            lines.finish()
        }
    }
}
