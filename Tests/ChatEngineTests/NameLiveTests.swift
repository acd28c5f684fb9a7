import ChatFixtures
import ChatStore
import Profiles
import ServerFixtures
import Testing
import XMPPAddress

@testable import ChatEngine

@Suite("Names of contacts", .timeLimit(.minutes(20)))
struct NameLiveTests {
    @Test("the nickname of a contact is stored, and its later change", arguments: AccountLiveTests.servers)
    func nickname(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let known: @Sendable () async throws -> String? = {
            try await romeo.store.read { reader throws(StoreError) in try reader.publishedNames(of: romeo.id) }[
                juliet.address]
        }
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                // In this order: ejabberd announces an earlier nickname to a new contact only in its next session.
                try await Person.ask(romeo, juliet)
                // A server announces nothing to a new contact before it has asked what the contact's device wants to know.
                // Nothing tells when it has, so the nickname is published until it is announced.
                for (published, expected) in [
                    ("Juliet \n Capulet", "Juliet Capulet"), ("Juliet Montague", "Juliet Montague"),
                ] {
                    repeat {
                        try await juliet.account.profile.publishNickname(published)
                        try await Task.sleep(for: .milliseconds(200))
                    } while try await known() != expected
                }
                #expect(try await known() == "Juliet Montague")
            }
        }
    }

    @Test("a contact without a nickname has the name of its vCard", arguments: AccountLiveTests.servers)
    func card(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let profiles = try #require(juliet.account.session?[Profiles.self])
                try await profiles.publish(LegacyVCard(fullName: "Juliet \n Capulet"))
                try await Person.ask(romeo, juliet)
                try #require(
                    await eventually {
                        let names = try? await romeo.store.read { reader throws(StoreError) in
                            try reader.publishedNames(of: romeo.id)
                        }
                        return names?[juliet.address] == "Juliet Capulet"
                    })
            }
        }
    }

    @Test(
        "a name is one line of a limited length",
        arguments: [
            ("Juliet", "Juliet"), ("  Juliet\n\u{7}Capulet ", "Juliet Capulet"), (" \n", nil),
            (String(repeating: "a", count: 200), String(repeating: "a", count: 64)),
        ])
    func cleaned(name: String, expected: String?) { #expect(NameService.cleaned(name) == expected) }
}
