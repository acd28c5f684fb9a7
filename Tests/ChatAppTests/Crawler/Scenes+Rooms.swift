import ChatEngine
import ChatStore
import Localization
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

/// The windows about rooms.
extension Scenes {
    private func model() throws -> RoomModel {
        let model = RoomModel(try room, store: sample.home.store, environment: sample.home.environment)
        model.show(
            RoomState(
                isInside: true, nickname: "Jule", subject: "Roses",
                people: [
                    RoomState.Person(nickname: "Jule", standing: .owner, isModerator: true, isOwn: true),
                    RoomState.Person(nickname: "Romeo", address: sample.romeo),
                    RoomState.Person(nickname: "Nurse"),
                ]))
        return model
    }

    private func openRoom(_ page: String = "people") throws -> Window {
        let about = RoomWindow(try model(), context)
        self.about = about
        about.stack.shown = page
        about.people.menus.onMention = { [weak self] in self?.mentioned = $0 }
        about.present()
        return about.window
    }

    var rooms: [Scene] {
        let people = Scene(
            title: "people of a room",
            exceptions: [
                "J Jule \(localized("you")) · \(localized("online")) \(localized("Owner"))":
                    "nothing can be done with oneself"
            ]
        ) { [self] in try openRoom() }
        return [
            Scene(title: "join a room") { [self] in
                RoomEntryWindow.show(RoomEntryModel(accounts: sample.home.chatAccounts), context).window
            },
            Scene(
                title: "create a room", exceptions: ["Access [1]": Self.isRead, "Access [2]": Self.isRead]
            ) { [self] in
                let entry = RoomEntryWindow.show(RoomEntryModel(accounts: sample.home.chatAccounts), context)
                entry.view.showCreation()
                return entry.window
            },
            people,
            people.menu("person in a room") { [self] _ in
                mentioned = ""
                _ = await Toolkit.eventually { [about] in
                    about?.people.list.focus(on: 1) == true && about?.people.showMenuOfFocused() == true
                }
                return nil
            },
            Scene(title: "page of a room") { [self] in try openRoom("room") },
            Scene(title: "topic of a room", exceptions: ["Topic": Self.isRead]) { [self] in
                _ = try openRoom("room")
                return try #require(about?.page.changeTopic())
            },
            Scene(title: "invite to a room", exceptions: ["Message (optional)": Self.isRead]) { [self] in
                let view = RoomInviteWindow(try model(), context, over: nil) { _ in }
                view.present()
                return view.window
            },
            Scene(title: "settings of a room", exceptions: ["Choose a Picture…": Self.choosesFile]) { [self] in
                let account = try #require(sample.home.account(sample.account))
                let view = RoomSettingsWindow(
                    RoomSettingsModel(try room, account: account, isOwner: true), sample.home.conversations,
                    sample.home.avatars, own: account.address, over: nil
                ) { _ in nil }
                view.present()
                return view.window
            },
        ]
    }
}
