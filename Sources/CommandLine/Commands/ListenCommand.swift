internal import FileSharing
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Command {
    static let listen = Command(
        name: "listen", summary: "stay online and print what happens, one line for each event",
        options: AvailabilityOptions.options + [
            .init("count", value: "NUMBER", "end after that many messages, pictures, voice messages and files"),
            .init("fetch", value: "friends|all|none", "whose pictures, voice messages and files are fetched (friends)"),
        ]
    ) { invocation in
        try invocation.requireNoArguments()
        let availability = try AvailabilityOptions(invocation.options)
        let listener = try Listener(invocation)
        let signIn = try await SignIn(invocation.connection)
        let folder = try FileFolder(account: signIn.address)
        try await signIn.run(signIn.configuration(accepting: availability.policy, isLasting: true)) { session in
            let roster = try session.extensionInUse(Roster.self)
            let events = session.events([.messages, .connection])
            let contacts = await roster.events()
            try await session.send(availability.presence)
            if let address = await session.address { listener.online(address) }
            for address in await roster.requests { listener.request(address, text: nil) }
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { for await batch in contacts { for event in batch { listener.report(event) } } }
                    group.addTask {
                        for await batch in events {
                            for event in batch { try await listener.report(event, roster) }
                        }
                    }
                    group.addTask { try await listener.fetchFiles(in: session, folder) }
                    // The one that ends first is the session's, or the one that has counted enough.
                    _ = try await group.next()
                    group.cancelAll()
                }
            } catch is ListeningIsOver {}
        }
    }
}

/// As many messages as were wanted have come.
struct ListeningIsOver: Error {}
