internal import ChatModel
internal import Localization
internal import XMPPAddress

extension RoomEntryModel {
    /// Which room is meant by a name, or how rooms are named.
    var hint: String {
        if let address, !text.contains("@") { return address.description }
        guard let service else { return localized("The whole address, such as garden@rooms.example.org") }
        return localized("A name at %@, or a whole address", service)
    }

    /// What has to be filled in before anything can be asked.
    var missingWords: String {
        if text.allSatisfy(\.isWhitespace) { return localized("Enter the name or the address of a room.") }
        if address == nil {
            return service == nil
                ? localized("Enter the whole address of the room, such as garden@rooms.example.org.")
                : localized("This cannot be the address of a room.")
        }
        if nickname.allSatisfy(\.isWhitespace) { return localized("Enter a nickname; the others in the room see it.") }
        return localized("Enter the password of the room.")
    }

    /// The field for the password is there when it is asked for, so that can be said better.
    var failureWords: String? {
        guard case .password(let isWrong) = question, failure != nil else { return failure }
        return isWrong ? localized("This is not the password of the room.") : localized("The room asks for a password.")
    }
}

extension RoomEntryModel.Question {
    var isAboutPassword: Bool { if case .password = self { true } else { false } }
}
