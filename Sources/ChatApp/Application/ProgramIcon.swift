internal import Foundation
internal import GTKBinding

/// The program's own icon, also where it runs from the folder in which it was built or from a prefix that the desktop does not know.
enum ProgramIcon {
    /// Lets it be found; as soon as there is a display.
    static func addFolders() {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return }
        for folder in folders(besides: program) { ToolkitSettings.addIconFolder(folder) }
    }

    /// `Scripts/build` puts the icons beside the program, `Scripts/install` where programs share them.
    static func folders(besides program: String) -> [String] {
        let folder = (program as NSString).deletingLastPathComponent
        return ["\(folder)/icons", "\((folder as NSString).deletingLastPathComponent)/share/icons"]
    }

    /// What is shown large; a speech bubble where the icon was not installed.
    static var name: String {
        ToolkitSettings.hasIcon(DesktopProgram.id) ? DesktopProgram.id : "user-available-symbolic"
    }
}
