package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The failure of a lookup says where the name was searched. */
@Timeout(60)
class LookupFailureTest {
  private static final TimeoutException LATE = new TimeoutException();
  private final Vertx vertx = Vertx.vertx();

  @TempDir
  Path folder;

  @AfterEach
  void close() throws Exception {
    Await.await(vertx.close());
  }

  private String words(DirectoryOptions options) throws Exception {
    DirectoryBackend directory = Await.await(DirectoryBackend.open(vertx, options.setType(DirectoryOptions.STATIC)));
    return LookupFailure.ofService(directory, "orders", 100, LATE).cause().getMessage();
  }

  private static ServiceEntry service(String name) {
    return new ServiceEntry(name, "other", 1, 0, List.of(), new JsonObject());
  }

  @Test
  void aDirectoryWithoutOthersIsNamed() throws Exception {
    assertEquals("service 'orders' did not appear in the static directory, within 100 ms; there is no other node: nodes find each other "
      + "if the type and the group of their DirectoryOptions are the same", words(new DirectoryOptions()));
  }

  @Test
  void folderOfProcessesOfOneHostIsNamedWithTheRemedy() throws Exception {
    DirectoryBackend directory = Await.await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()).setGroup("own")));
    Future<?> failed = LookupFailure.ofService(directory, "orders", 100, LATE);
    Await.until("other groups are known", failed::isComplete);
    String words = failed.cause().getMessage();
    String advice = "are the same and they use one folder. A service with PrivateTmp= or a container has another folder of the same name:"
      + " name one folder for all with VERTX_RDMA_RUNTIME";
    assertTrue(words.contains(folder.toString()) && words.endsWith(advice), words);
  }

  /** The only similar name is one of this node. */
  @Test
  void similarNamesAreListedWithoutOtherNodes() throws Exception {
    StaticDirectory directory = new StaticDirectory(vertx, new DirectoryOptions());
    Await.await(directory.open());
    Await.await(directory.publish(directory.self()));
    Await.await(directory.publish(new ServiceEntry("order", directory.nodeId(), directory.epoch(), 0, List.of(), new JsonObject())));
    assertEquals("service 'orders' did not appear in the static directory, within 100 ms; there is no other node, and the service "
      + "'order'",
      LookupFailure.ofService(directory, "orders", 100, LATE).cause().getMessage());
  }

  @Test
  void errorNamesTheEntriesFoundInstead() throws Exception {
    DirectoryOptions options = new DirectoryOptions().addEntry(NodeEntry.local("other", 1));
    String begin = "service 'orders' did not appear in the static directory, within 100 ms; there is 1 other node, and ";
    assertEquals(begin + "no service", words(options));
    assertEquals(begin + "the service 'order'", words(options.addEntry(service("order"))));
    assertEquals(begin + "the services order, others", words(options.addEntry(service("others"))));
    for (int i = 0; i < 20; i++) {
      options.addEntry(service("e" + (10 + i)));
    }
    assertEquals(begin + "the services e10, e11, e12, e13, e14, e15, e16, e17, e18, e19 and 12 more", words(options));
  }

  @Test
  void anotherFailureStaysWhatItIs() throws Exception {
    DirectoryBackend directory = Await.await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.STATIC)));
    Exception other = new IllegalStateException("the directory was closed");
    assertSame(other, LookupFailure.ofRegion(directory, "orders", 100, other).cause());
  }

  @Test
  void groupThatHasTheNameIsLoggedBeforeTheLookUpEnds() throws Exception {
    DirectoryOptions options = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString());
    DirectoryBackend other = Await.await(DirectoryBackend.open(vertx, new DirectoryOptions(options).setGroup("others")));
    Await.await(other.publish(other.self()));
    Await.await(other.publish(new ServiceEntry("orders", other.nodeId(), other.epoch(), 0, List.of(), new JsonObject())));
    try (LogLines log = new LogLines(AbstractDirectory.class)) {
      DirectoryBackend directory = Await.await(DirectoryBackend.open(vertx, new DirectoryOptions(options).setGroup("own")));
      Future<?> waiting = directory.awaitServices("orders", Duration.ofMinutes(2));
      Await.until("it is logged", () -> !log.lines().isEmpty());
      assertFalse(waiting.isComplete());
      assertEquals("service 'orders' has not appeared in the " + directory.where() + ", for 1000 ms; group 'others' has it: give "
        + "both nodes"
        + " the same group, by DirectoryOptions or -Dvertx.rdma.group=others", log.lines().getFirst());
    }
  }
}
