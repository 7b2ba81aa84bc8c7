package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ColdListenerTest {
  private static final int SECONDS = 20;

  private static ColdListener open(String kind) throws IOException {
    ColdListener listener = kind.equals("unix") ? ColdListener.open() : ColdListener.loopback();
    assertTrue(listener.address.startsWith(kind + ':'), listener.address);
    return listener;
  }

  private static CompletableFuture<ColdPipe> accepting(ColdListener listener) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return listener.accept();
      } catch (IOException e) {
        throw new CompletionException(e);
      }
    });
  }

  private static SocketChannel stranger(String address) throws IOException {
    String place = address.substring(address.indexOf(':') + 1);
    SocketAddress at = address.startsWith("unix:") ? UnixDomainSocketAddress.of(place)
      : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(place));
    return SocketChannel.open(at);
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix", "loopback"})
  void processConnectsBesideStrangersAndLinesGoBothWays(String kind) throws Exception {
    List<SocketChannel> strangers = new ArrayList<>();
    try (ColdListener listener = open(kind)) {
      CompletableFuture<ColdPipe> accepting = accepting(listener);
      // Silent peers, more than the listener keeps.
      for (int i = 0; i < 20; i++) {
        strangers.add(stranger(listener.address));
      }
      ColdPipe liar = new ColdPipe(stranger(listener.address));
      liar.write("0".repeat(32));
      assertNull(liar.readLine(100), "the one with a wrong token is closed");
      try (ColdPipe process = ColdPipe.connect(listener.address, listener.tokens());
        ColdPipe server = accepting.get(SECONDS, TimeUnit.SECONDS)) {
        server.write("{\"setup\": \"ü\"}");
        assertEquals("{\"setup\": \"ü\"}", process.readLine(1_000));
        process.write("ready");
        assertEquals("ready", server.readLine(1_000));
        server.end();
        assertNull(process.readLine(1_000));
      }
      for (SocketChannel other : strangers) {
        assertNull(new ColdPipe(other).readLine(100));
        other.close();
      }
    }
  }

  @Test
  void folderOfTheSocketIsForThisUserAndGoesWithTheListener() throws Exception {
    Path folder;
    try (ColdListener listener = open("unix")) {
      folder = Path.of(listener.address.substring("unix:".length())).getParent();
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    }
    assertFalse(Files.exists(folder));
  }

  @Test
  void acceptEndsWhenTheListenerIsClosed() throws Exception {
    ColdListener listener = open("unix");
    CompletableFuture<ColdPipe> accepting = accepting(listener);
    listener.close();
    assertTrue(assertThrows(ExecutionException.class, () -> accepting.get(SECONDS, TimeUnit.SECONDS))
      .getCause() instanceof ClosedChannelException);
  }

  @Test
  void processRefusesAnotherServer() throws Exception {
    try (ColdListener listener = open("loopback")) {
      CompletableFuture<ColdPipe> accepting = accepting(listener);
      String message = assertThrows(IOException.class, () -> ColdPipe.connect(listener.address, listener.tokens().split(" ")[0] + ' '
        + "0".repeat(32))).getMessage();
      assertTrue(message.contains("is not the socket of this process's server"), message);
      accepting.get(SECONDS, TimeUnit.SECONDS).close();
    }
  }

  @Test
  void lineThatNeverEndsIsRefused() throws Exception {
    try (ColdListener listener = open("unix")) {
      CompletableFuture<ColdPipe> accepting = accepting(listener);
      try (ColdPipe process = ColdPipe.connect(listener.address, listener.tokens());
        ColdPipe server = accepting.get(SECONDS, TimeUnit.SECONDS)) {
        process.write("x".repeat(101));
        assertThrows(IOException.class, () -> server.readLine(100));
      }
    }
  }
}
