import GTKBinding
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("Widgets whose height follows their width")
    struct ProportionTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test(
            "such a widget gets the height for its own width, not for that of its container",
            arguments: [600, 300])
        func height(room: Int) async {
            let place = ProportionalBin(Label(), width: 320, height: 160, minimumWidth: 64).align(horizontal: .start)
            let around = Box.vertical(place).align(vertical: .start)
            let window = Window("Proportions", width: room, height: 700, around)
            window.present()
            #expect(
                await Toolkit.eventually {
                    around.width > 0 && place.width == min(around.width, 320) && place.height == place.width / 2
                        && around.height == place.height
                })
            window.destroy()
        }
    }
}
