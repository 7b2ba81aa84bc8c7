package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.github.vertxrdma.provider.ffi.Memory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** Parsers of keys and addresses that peers send. The parsers read them before the library does. */
class ParsersTest implements ParserContract {
  /** FI_ADDR_EFA of fabric.h, and another format whose bytes only the library knows. */
  private static final int EFA = 12;
  private static final int OTHER = 9;
  private static final int[] FORMATS = {Fi.SOCKADDR_IN, Fi.SOCKADDR_IN6, OTHER, EFA};

  @BeforeAll
  static void onLinux() {
    Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "native access is for Linux");
  }

  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("fabric-address", ProviderException.class, ParsersTest::address),
      new Parser("fabric-key", ProviderException.class, ParsersTest::key));
  }

  /** Reads an address (8 bytes), a length (8) and the key. */
  private static void key(byte[] bytes) {
    ByteBuffer token = ByteBuffer.wrap(Arrays.copyOf(bytes, Math.max(16, bytes.length)));
    RemoteKeys.map(null, token.getLong(), token.getLong(), Arrays.copyOfRange(token.array(), 16, token.capacity())).close();
  }

  /** Reads the format of the fabric (1 byte), the format of the address (1) and its bytes. */
  private static void address(byte[] bytes) {
    ByteBuffer input = ByteBuffer.wrap(Arrays.copyOf(bytes, Math.max(2, bytes.length)));
    int format = FORMATS[input.get() & 3];
    int of = input.get() & 3;
    byte[] rest = Arrays.copyOfRange(input.array(), 2, input.capacity());
    EndpointAddress address;
    try {
      address = EndpointAddress.of(of == 0 ? EndpointAddress.INET : of == 1 ? EndpointAddress.STRING : "fi" + FORMATS[of], rest);
    } catch (IllegalArgumentException refused) {
      return;
    }
    byte[] sent = AddressFormats.toNative(format, address);
    long at = Memory.allocate(Math.max(1, sent.length));
    try {
      Memory.putBytes(at, sent);
      AddressFormats.fromNative(format, at, sent.length).toString();
    } finally {
      Memory.free(at);
    }
  }
}
