package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsRuleTest {
  /** An empty hello, an alert that refuses a hello, parts of a record, plaintext that looks like TLS, and plaintext. */
  @ParameterizedTest
  @CsvSource({"160301000401000000, true", "15030300020246, true", "1603, false", "16030068656c6c6f, false", "1603010004ff000000, false",
    "15030100ff0246, false", "474554, false"})
  void firstBytesAreOfTlsOrNot(String hex, boolean tls) {
    assertEquals(tls, TlsRule.beginsTls(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex))));
  }
}
