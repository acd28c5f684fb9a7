internal import GTKBinding
internal import Localization

/// The main menu.
enum MainMenu {
    static var menu: Menu {
        Menu([
            .section(
                nil,
                [
                    .item(localized("_New Conversation…"), "win.new"),
                    .item(localized("_Contacts"), "win.contacts"),
                    .item(localized("Add a C_ontact…"), "win.add-contact"),
                    .item(localized("_Join or Create a Room…"), "win.join-room"),
                ]),
            .section(
                nil,
                [
                    .item(localized("_Invite Someone…"), "win.share"),
                    .item(localized("_Add an Account…"), "app.add-account"),
                ]),
            .section(
                nil,
                [
                    .item(localized("_Preferences"), "app.preferences"),
                    .item(localized("Keyboard Shortcuts"), "win.shortcuts"),
                ]),
            .section(
                nil, [.item(localized("About Hongyan"), "app.about"), .item(localized("Quit"), "app.quit")]),
        ])
    }
}
