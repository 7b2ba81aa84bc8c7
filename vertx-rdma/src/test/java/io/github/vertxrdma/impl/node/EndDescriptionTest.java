package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class EndDescriptionTest {

  @Test
  void itsBytesAreThoseOfTheProtocol() {
    EndDescription described = new EndDescription("f", "n1", EndpointAddress.of("qp", new byte[] {5, 6, 7}));
    byte[] bytes = described.encode();
    String body = "76524445" + "0202" + "001c" + "000166" + "00026e31" + "00027170" + "0003050607";
    assertEquals(body, HexFormat.of().formatHex(bytes, 0, bytes.length - 4));
    assertEquals(body.length() / 2 + 4, bytes.length);
    assertEquals(described, EndDescription.decode(bytes));
  }
}
