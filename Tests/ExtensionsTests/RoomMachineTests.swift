import Testing
import XMPPStanzas

@testable import GroupChat

/// One test per state, with every event; then a random walk through all of them.
@Suite("The state machine of a room")
struct RoomMachineTests {
    private static let error = StanzaError(.conflict)

    private func presence(
        _ nickname: String, _ isAvailable: Bool = true, _ statuses: Set<RoomUser.Status> = [], new: String? = nil,
        role: RoomRole = .participant, reason: String? = nil
    ) -> RoomPresence {
        RoomPresence(
            nickname: nickname, isAvailable: isAvailable,
            user: RoomUser(
                item: RoomItem(affiliation: RoomAffiliation.none, role: role, nickname: new, reason: reason),
                statuses: statuses))
    }

    private func own(_ nickname: String = "me") -> RoomPresence { presence(nickname, true, [.own]) }

    private func entering() -> RoomMachine {
        var machine = RoomMachine()
        _ = machine.enter(as: "me")
        return machine
    }

    private func inside() -> RoomMachine {
        var machine = entering()
        _ = machine.presenceReceived(presence("first"))
        _ = machine.presenceReceived(own())
        return machine
    }

    private func leaving() -> RoomMachine {
        var machine = inside()
        _ = machine.leave()
        return machine
    }

    @Test("N5: of 20,000 occupants only as many are stored as the limit allows, and no presence copies their table")
    func crowd() {
        var machine = inside()
        var place = UInt(0)
        var moves = 0
        for round in 0..<2 {
            for number in 0..<20_000 {
                _ = machine.presenceReceived(presence("occupant \(number)", role: round == 0 ? .participant : .visitor))
                // The address of the table, without a reference to it.
                let current = unsafeBitCast(machine.occupants, to: UInt.self)
                if current != place { moves += 1 }
                place = current
            }
        }
        #expect(machine.occupants.count == RoomMachine.occupantLimit)
        #expect(machine.occupants["occupant 1"]?.role == .visitor)
        #expect(moves < 40, "it moves when it grows")
    }

    // MARK: Outside

    @Test("outside: only the request to join has an effect")
    func outside() {
        var machine = RoomMachine()
        #expect(machine.leave() == [])
        #expect(machine.changeNickname(to: "x") == [])
        #expect(machine.timedOut() == [])
        #expect(machine.occupancyLost(.forgotten) == [])
        #expect(machine.errorReceived(Self.error, for: "me") == [])
        #expect(machine.subjectReceived(RoomSubject(text: "x")) == [])
        #expect(machine.presenceReceived(own()) == [])
        #expect(machine.presenceReceived(presence("me", false, [.own])) == [])
        #expect(machine.isOutside == true)
        #expect(machine.enter(as: "me") == [.requestEntrance(nickname: "me")])
        #expect(machine.isOutside == false)
        #expect(machine.isInside == false)
    }

    // MARK: Entering

    @Test("joining: the others are reported first, and our own presence completes it")
    func entered() {
        var machine = entering()
        #expect(machine.presenceReceived(presence("first")) == [])
        #expect(machine.presenceReceived(presence("second")) == [])
        #expect(machine.presenceReceived(presence("second", false)) == [])
        #expect(machine.presenceReceived(presence("first", false, [.renamed], new: "third")) == [])
        #expect(machine.occupants.isEmpty)
        #expect(machine.subjectReceived(RoomSubject(text: "early")) == [])
        let actions = machine.presenceReceived(presence("me", true, [.own, .created]))
        #expect(actions == [.entered(machine.occupants["me"]!, statuses: [.own, .created])])
        #expect(machine.isInside == true)
        #expect(Set(machine.occupants.keys) == ["me", "third"])
        #expect(machine.occupants["me"]?.isSelf == true)
        #expect(machine.subject == RoomSubject(text: "early"))
    }

    @Test("joining: presence of our nickname without status 110 is not ours")
    func unmarked() {
        var machine = entering()
        #expect(machine.presenceReceived(presence("me")) == [])
        #expect(machine.isInside == false)
    }

    @Test("joining: the room can assign another nickname (status 210)")
    func assigned() {
        var machine = entering()
        _ = machine.presenceReceived(presence("other", true, [.own, .nicknameAssigned]))
        #expect(machine.nickname == "other")
        #expect(machine.isInside == true)
    }

    @Test("joining: an error is the response, one for another nickname is not")
    func refused() {
        var machine = entering()
        #expect(machine.errorReceived(Self.error, for: "else") == [])
        #expect(machine.errorReceived(Self.error, for: "me") == [.refused(Self.error)])
        #expect(machine.isOutside == true)
        var second = entering()
        #expect(second.errorReceived(Self.error, for: nil) == [.refused(Self.error)])
    }

    @Test("joining: requests and losses")
    func joiningRequests() {
        var machine = entering()
        #expect(machine.enter(as: "me") == [])
        #expect(machine.enter(as: "you") == [.requestEntrance(nickname: "you")])
        #expect(machine.changeNickname(to: "x") == [])
        #expect(machine.nickname == "you")
        #expect(machine.leave() == [.requestDeparture(nickname: "you")])
        var late = entering()
        #expect(
            late.timedOut() == [.requestDeparture(nickname: "me"), .refused(StanzaError(.remoteServerTimeout))])
        #expect(late.isOutside == true)
        var lost = entering()
        #expect(lost.occupancyLost(.sessionLost) == [.departed(RoomDeparture(.sessionLost))])
        var thrown = entering()
        #expect(
            thrown.presenceReceived(presence("me", false, [.own, .banned], reason: "Avaunt!"))
                == [.departed(RoomDeparture(.banned, reason: "Avaunt!"))])
    }

    // MARK: Inside

    @Test("inside: occupants join, change, take other nicknames and leave")
    func occupants() {
        var machine = inside()
        let second = presence("second")
        #expect(machine.presenceReceived(second) == [.occupantEntered(second.occupant)])
        #expect(machine.presenceReceived(second) == [])
        let moderator = presence("second", role: .moderator)
        #expect(machine.presenceReceived(moderator) == [.occupantChanged(moderator.occupant)])
        var renamed = moderator.occupant
        renamed.nickname = "third"
        #expect(
            machine.presenceReceived(presence("second", false, [.renamed], new: "third"))
                == [.occupantRenamed(from: "second", renamed)])
        #expect(
            machine.presenceReceived(presence("third", false, [.kicked], reason: "Avaunt!"))
                == [.occupantLeft(renamed, RoomDeparture(.kicked, reason: "Avaunt!"))])
        #expect(machine.presenceReceived(presence("third", false)) == [])
        #expect(Set(machine.occupants.keys) == ["first", "me"])
    }

    @Test("inside: no occupant takes our nickname, and a rename to a used nickname replaces its occupant")
    func displaced() {
        var machine = inside()
        #expect(machine.presenceReceived(presence("first", false, [.renamed], new: "me")) == [])
        #expect(machine.occupants["me"]?.isSelf == true)
        #expect(machine.presenceReceived(presence("nobody", false, [.renamed], new: "x")) == [])
        _ = machine.presenceReceived(presence("second"))
        let actions = machine.presenceReceived(presence("second", false, [.renamed], new: "first"))
        #expect(actions.count == 2)
        #expect(Set(machine.occupants.keys) == ["first", "me"])
    }

    @Test("inside: another nickname for us: granted, refused, and assigned without a request")
    func nickname() {
        var machine = inside()
        #expect(machine.changeNickname(to: "me") == [.nicknameGranted("me")])
        #expect(machine.errorReceived(Self.error, for: "me") == [])
        #expect(machine.changeNickname(to: "first") == [.requestNickname("first")])
        #expect(machine.errorReceived(Self.error, for: "first") == [.nicknameRefused(Self.error)])
        #expect(machine.enter(as: "new") == [.requestNickname("new")])
        let actions = machine.presenceReceived(presence("me", false, [.own, .renamed], new: "new"))
        #expect(actions == [.occupantRenamed(from: "me", machine.occupants["new"]!), .nicknameGranted("new")])
        #expect(machine.nickname == "new")
        #expect(machine.presenceReceived(presence("new", true, [.own])) == [])
        let forced = machine.presenceReceived(own("forced"))
        #expect(forced == [.occupantRenamed(from: "new", machine.occupants["forced"]!)])
        #expect(Set(machine.occupants.keys) == ["first", "forced"])
    }

    @Test(
        "inside: each way out has its cause",
        arguments: [
            ([], .left), ([.kicked], .kicked), ([.kicked, .technical], .technicalProblem),
            ([.banned, .kicked], .banned),
            ([.affiliationChanged], .affiliationLost), ([.membersOnly], .membersOnly), ([.shutDown], .serviceShutDown),
        ] as [(Set<RoomUser.Status>, RoomDeparture.Cause)])
    func departure(statuses: Set<RoomUser.Status>, cause: RoomDeparture.Cause) {
        var machine = inside()
        let actions = machine.presenceReceived(presence("me", false, statuses.union([.own]), reason: "why"))
        #expect(actions == [.departed(RoomDeparture(cause, reason: "why"))])
        #expect(machine.isOutside == true)
        #expect(machine.occupants.isEmpty)
        let unmarked = presence("me", false, statuses)
        var second = inside()
        #expect(second.presenceReceived(unmarked) == [.departed(RoomDeparture(cause))])
    }

    @Test("inside: the room is destroyed")
    func destroyed() throws {
        var machine = inside()
        var gone = presence("me", false, [.own])
        gone.user.destruction = .init(alternative: try .init("new@chat.example"), reason: "Macbeth doth come.")
        #expect(
            machine.presenceReceived(gone)
                == [
                    .departed(
                        RoomDeparture(
                            .destroyed, reason: "Macbeth doth come.", alternative: try .init("new@chat.example")))
                ])
    }

    @Test("inside: requests, subject and losses")
    func insideRequests() {
        var machine = inside()
        #expect(machine.timedOut() == [])
        #expect(machine.subjectReceived(RoomSubject(text: "Fire")) == [.subjectChanged(RoomSubject(text: "Fire"))])
        #expect(machine.subject == RoomSubject(text: "Fire"))
        #expect(machine.leave() == [.requestDeparture(nickname: "me")])
        var lost = inside()
        #expect(lost.occupancyLost(.forgotten) == [.departed(RoomDeparture(.forgotten))])
        #expect(lost.isOutside == true)
    }

    // MARK: Leaving

    @Test("leaving: our own departure confirms it, nothing else matters")
    func left() {
        var machine = leaving()
        #expect(machine.leave() == [])
        #expect(machine.changeNickname(to: "x") == [])
        #expect(machine.subjectReceived(RoomSubject(text: "x")) == [])
        #expect(machine.presenceReceived(presence("first")) == [])
        #expect(machine.presenceReceived(own()) == [])
        #expect(machine.presenceReceived(presence("first", false)) == [])
        #expect(machine.presenceReceived(presence("me", false, [.own])) == [.departed(RoomDeparture(.left))])
        #expect(machine.isOutside == true)
        var refused = leaving()
        #expect(refused.errorReceived(Self.error, for: "me") == [.departed(RoomDeparture(.left))])
        var late = leaving()
        #expect(late.timedOut() == [.departed(RoomDeparture(.left))])
        var lost = leaving()
        #expect(lost.occupancyLost(.sessionLost) == [.departed(RoomDeparture(.left))])
    }

    @Test("leaving: joining again immediately is not undone by the confirmation of the departure")
    func back() {
        var machine = leaving()
        #expect(machine.enter(as: "me") == [.requestEntrance(nickname: "me")])
        #expect(machine.presenceReceived(presence("me", false, [.own])) == [])
        _ = machine.presenceReceived(own())
        #expect(machine.isInside == true)
    }

    // MARK: All together

    @Test("the number of occupants is limited")
    func limit() {
        var machine = inside()
        for number in 0..<(RoomMachine.occupantLimit + 10) { _ = machine.presenceReceived(presence("o\(number)")) }
        #expect(machine.occupants.count == RoomMachine.occupantLimit)
        #expect(machine.occupants["me"] != nil)
    }

    @Test("a random walk: the events reproduce the list of occupants", arguments: 1...8 as ClosedRange<UInt64>)
    func walk(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var machine = RoomMachine()
        var followed: [String: Occupant] = [:]
        let names = ["me", "a", "b", "c", "d"]
        for step in 0..<4000 {
            let name = names.randomElement(using: &random)!
            let actions: [RoomAction]
            switch Int.random(in: 0..<20, using: &random) {
            case 0: actions = machine.enter(as: name)
            case 1: actions = machine.leave()
            case 2: actions = machine.changeNickname(to: name)
            case 3: actions = machine.errorReceived(Self.error, for: Bool.random(using: &random) ? name : nil)
            case 4: actions = machine.subjectReceived(RoomSubject(text: name))
            case 5: actions = Int.random(in: 0..<4, using: &random) == 0 ? machine.occupancyLost(.forgotten) : []
            case 6: actions = Int.random(in: 0..<4, using: &random) == 0 ? machine.timedOut() : []
            case 7: actions = machine.presenceReceived(presence(name, false, [.own]))
            case 8...10: actions = machine.presenceReceived(own(name))
            case 11...12: actions = machine.presenceReceived(presence(name, false, [.kicked]))
            case 13...14:
                let new = names.randomElement(using: &random)!
                let own: Set<RoomUser.Status> = Bool.random(using: &random) ? [.own] : []
                actions = machine.presenceReceived(presence(name, false, own.union([.renamed]), new: new))
            default:
                let role = RoomRole.allCases.randomElement(using: &random)!
                actions = machine.presenceReceived(presence(name, role: role))
            }
            for action in actions {
                switch action {
                case .entered: followed = machine.occupants
                case .departed: followed = [:]
                case .occupantEntered(let occupant):
                    #expect(followed[occupant.nickname] == nil)
                    followed[occupant.nickname] = occupant
                case .occupantChanged(let occupant):
                    #expect(followed[occupant.nickname] != nil)
                    followed[occupant.nickname] = occupant
                case .occupantRenamed(let old, let occupant):
                    #expect(followed.removeValue(forKey: old) != nil)
                    followed[occupant.nickname] = occupant
                case .occupantLeft(let occupant, _): #expect(followed.removeValue(forKey: occupant.nickname) != nil)
                case .requestDeparture: followed = [:]
                case .refused: #expect(followed.isEmpty)
                case .requestEntrance, .requestNickname, .nicknameGranted, .nicknameRefused, .subjectChanged: break
                }
            }
            let occupants = machine.occupants
            guard followed == occupants, occupants.allSatisfy({ $0.key == $0.value.nickname }),
                machine.isInside == (machine.nickname.flatMap { occupants[$0] } != nil),
                occupants.values.filter(\.isSelf).count <= 1
            else {
                Issue.record("inconsistent after step \(step) of seed \(seed): \(actions)")
                return
            }
        }
    }
}

/// A small generator, so that walks can be reproduced.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
