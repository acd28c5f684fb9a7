import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

@Suite struct LoginTokenTests {
    private func person(_ name: String) async throws -> Person {
        try await Person(name, on: PrivateProsody.shared(ServerOptions(), release: .backports))
    }

    private func tokens(_ person: Person) -> String? {
        try? String(contentsOfFile: person.home.path + "/data/hongyan/tokens", encoding: .utf8)
    }

    private func usesToken(_ person: Person, _ arguments: String...) async throws -> Bool? {
        let result = try await person.bare(["connection", "--json"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        return result.objects.first?["fast"] as? Bool
    }

    @Test("after the first login, the program logs in with a token, and the server sees the same installation")
    func token() async throws {
        let person = try await person("token")
        try await person.run("login")
        let first = try #require(tokens(person))
        #expect(!first.contains(person.account.password))
        let accounts = try String(contentsOfFile: person.home.path + "/config/hongyan/accounts.json", encoding: .utf8)
        #expect(accounts.contains("\"userAgent\""))
        #expect(!accounts.contains(person.account.password))
        #expect(try await usesToken(person) == true)
        #expect(try await usesToken(person) == true, "a token that was replaced is the one that is used next")
    }

    @Test("a token that the server rejects is replaced by means of the password")
    func refusedToken() async throws {
        let person = try await person("refused")
        try await person.run("login")
        let content = try #require(tokens(person))
        let spoilt = content.replacing("\"token\":\"", with: "\"token\":\"x")
        #expect(spoilt != content)
        try spoilt.write(toFile: person.home.path + "/data/hongyan/tokens", atomically: false, encoding: .utf8)
        #expect(try await usesToken(person) == false)
        #expect(try await usesToken(person) == true)
    }

    @Test("a password given by the user is used even if there is a saved token")
    func givenPassword() async throws {
        let person = try await person("given")
        try await person.run("login")
        let wrong = try await person.bare(["login"] + person.connection(password: "not this one"))
        #expect(wrong.status == 3)
        #expect(try await usesToken(person) == true, "what is kept was not touched")
    }

    @Test("signing out removes the token with the password")
    func logout() async throws {
        let person = try await person("logout")
        try await person.run("login")
        #expect(tokens(person)?.contains(person.account.username) == true)
        #expect(try await person.bare(["logout"]).status == 0)
        #expect(tokens(person)?.contains(person.account.username) == false)
    }

    @Test("no token is saved for an account that is not saved, nor by the doctor")
    func strangers() async throws {
        let person = try await person("stranger")
        try await person.run("connection")
        try await person.run("doctor")
        #expect(tokens(person) == nil)
    }
}
