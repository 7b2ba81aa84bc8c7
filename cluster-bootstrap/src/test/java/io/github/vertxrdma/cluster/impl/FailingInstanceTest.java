package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An instance that was made for a directory is ended with it, wherever opening or closing fails. */
@Timeout(300)
class FailingInstanceTest {
  private static HazelcastInstance member;

  private final Vertx vertx = Vertx.vertx();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ended = new AtomicInteger();

  @BeforeAll
  static void start() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    member = Hazelcast.newHazelcastInstance(QuietHazelcast.loopback("failing-" + port, port, 1));
  }

  @AfterAll
  static void end() {
    member.getLifecycleService().terminate();
  }

  @AfterEach
  void close() throws Exception {
    failing.clear();
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(90, TimeUnit.SECONDS);
  }

  /** Its objects fail as it does. */
  private <T> T faulty(Class<T> type, T behind) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
      if (failing.contains(method.getName())) {
        throw new HazelcastException(method.getName() + " fails");
      }
      Object result;
      try {
        result = method.invoke(behind, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
      return switch (method.getName()) {
        case "getCluster", "getLifecycleService", "getClientService" -> faulty(result, method.getReturnType());
        default -> result;
      };
    }));
  }

  private <T> Object faulty(Object behind, Class<T> type) {
    return faulty(type, type.cast(behind));
  }

  private Future<DirectoryBackend> open() {
    return ClusterDirectory.open(vertx, faulty(HazelcastInstance.class, member), new DirectoryOptions().setNodeId("one"), ended::incrementAndGet);
  }

  @ParameterizedTest
  @ValueSource(strings = {"getLocalEndpoint", "getMap", "addMembershipListener", "addLifecycleListener", "addClientListener"})
  void openingThatFailsEndsIt(String call) throws Exception {
    failing.add(call);
    Throwable cause = assertThrows(ExecutionException.class, () -> await(open())).getCause();
    assertEquals(call + " fails", cause.getMessage());
    assertEquals(1, ended.get());
    failing.clear();
    DirectoryBackend again = await(open());
    assertEquals("one", again.nodeId(), "its node id is free again");
    await(again.close());
    assertEquals(2, ended.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"removeMembershipListener", "removeLifecycleListener", "removeClientListener"})
  void closingThatFailsEndsIt(String call) throws Exception {
    DirectoryBackend directory = await(open());
    failing.add(call);
    assertThrows(ExecutionException.class, () -> await(directory.close()));
    assertEquals(1, ended.get());
  }

  @Test
  void oneThatDoesNotRunIsEnded() throws Exception {
    assertThrows(ExecutionException.class, () -> await(ClusterDirectory.open(vertx, null, new DirectoryOptions(), ended::incrementAndGet)));
    assertEquals(1, ended.get());
  }
}
