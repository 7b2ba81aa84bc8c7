package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.Selection;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The words of a node that chooses its fabric itself. */
class FabricChoiceTest {
  @Test
  void namesWhatIsTakenAndWhatComesNext() {
    FabricChoice here = FabricChoice.at(InetAddress.getLoopbackAddress());
    List<String> words = List.of(here.inWords().split("; "));
    // Sockets are there wherever Java is.
    assertTrue(words.getFirst().contains("nio"), here.inWords());
    assertTrue(words.getFirst().startsWith(here.selection().ranked().getFirst().name() + ", the best"), here.inWords());
    here.selection().refused().forEach(refused -> assertTrue(words.contains("not " + refused), here.inWords()));
  }

  @Test
  void saysWhyADeviceIsNotTaken() {
    FabricChoice none = new FabricChoice(new Selection(List.of(), List.of()), List.of(
      new Discovery.Unavailable("verbs", "there is no RDMA device", "sudo ./rdma siw up")));
    assertEquals("none; not verbs: there is no RDMA device — sudo ./rdma siw up", none.inWords());
  }
}
