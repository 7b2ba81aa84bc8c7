package io.github.vertxrdma.provider.contract.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Games of attackers against an honest pair in another JVM, which works all the time and ends if a promise to it is broken. The pair's
 * class calls {@link #serve}. The attackers know its ids and connections. Games that miss a planted fault have to be extended.
 */
public final class Games implements AutoCloseable {
  private static final int GAMES = Integer.getInteger("attack.games", Boolean.getBoolean("vertx.rdma.test.all") ? 2500
    : Boolean.getBoolean("vertx.rdma.test.full") ? 75 : 15);
  private static final long SEED = Long.getLong("attack.seed", System.nanoTime());
  private static final int MOST_GAMES = 200;
  /** Most faults are found within 30 s on a machine that does nothing else. */
  private static final long MOST_SECONDS = 90;
  /** Less than the places of one source, which the honest pair may share. */
  private static final int FLOOD = 32;
  /** Number of games in which the attackers may open no region. */
  private static final int FEW = 50;
  /** Number of games between checks that nothing of the attackers is left. */
  private static final int REST_EVERY = 25;

  private final ChildJvm pair;
  private final List<Attack> attacks;
  private int games;

  /** An attacker, which leaves nothing open after a game unless it is a {@link LastingAttack}. */
  @FunctionalInterface
  public interface Attack {
    /** Attacks until its own end. Throws an AssertionError if it has won, and another exception if it could not attack. */
    void play(Invitation to, int game, long seed) throws Exception;
  }

  /** An attacker that stays connected between games. */
  public interface LastingAttack extends Attack, AutoCloseable {
    /** Ends it. Idempotent. */
    @Override
    void close();
  }

  /**
   * Knowledge of the attackers about the honest pair.
   *
   * @param key proves knowledge of the secret, in hexadecimal digits; {@code -} if the pair has none
   * @param regions ids of regions that any peer may open
   * @param ids node ids of the pair
   * @param known its connections, for {@link Attacker#play}
   * @param sockets paths of its listeners over shared memory
   * @param ports TCP ports of its servers and connections
   */
  public record Invitation(String key, List<Long> regions, List<String> ids, String known, List<String> sockets, List<Integer> ports) {
  }

  private final Invitation invitation;

  private Games(ChildJvm pair, List<Attack> attacks) throws InterruptedException {
    this.pair = pair;
    this.attacks = attacks;
    try {
      invitation = new Invitation(pair.await("key "), words("regions ").stream().map(Long::parseLong).toList(), words("ids "),
        pair.await("known "), words("sockets "), words("ports").stream().filter(each -> !each.isEmpty()).map(Integer::parseInt).toList());
      pair.await("ready");
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private List<String> words(String line) throws InterruptedException {
    return List.of(pair.await(line).split(" "));
  }

  /**
   * An honest pair.
   *
   * @param program command that starts its JVM with other rights or namespaces; empty for none
   * @param main class that calls {@link #serve}
   */
  public record HonestPair(List<String> program, Class<?> main, List<String> arguments) {
    public HonestPair(Class<?> main, List<String> arguments) {
      this(List.of(), main, arguments);
    }

    private ChildJvm start(String classPath) throws IOException {
      return ChildJvm.startBy(program, classPath, main, arguments.toArray(String[]::new));
    }
  }

  /** Starts the honest pair. */
  public static Games with(HonestPair pair, List<Attack> attacks) throws IOException, InterruptedException {
    return new Games(pair.start(System.getProperty("java.class.path")), attacks);
  }

  /**
   * Plays against an honest pair with a planted fault.
   *
   * @param folder empty folder for changed classes
   * @return the broken promise; null if the fault was not found in {@value #MOST_GAMES} games or {@value #MOST_SECONDS} s
   */
  public static String failureWith(Plant fault, Path folder, HonestPair pair, List<Attack> attacks) throws Exception {
    fault.write(folder);
    try (Games games = new Games(pair.start(folder + File.pathSeparator + System.getProperty("java.class.path")), attacks)) {
      games.ask("check");
      return games.firstFailure();
    }
  }

  private String firstFailure() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
    try {
      while (games < MOST_GAMES && System.nanoTime() - end < 0) {
        playOne();
      }
      return null;
    } catch (AssertionError e) {
      return e.getMessage();
    }
  }

  public void playAll() throws Exception {
    play(GAMES);
  }

  /** Plays fewer games than {@link #playAll}. @param part 3 for a third of them */
  public void playPart(int part) throws Exception {
    play(Math.ceilDiv(GAMES, part));
  }

  private void play(int most) throws Exception {
    while (games < most) {
      try {
        playOne();
      } catch (AssertionError | Exception e) {
        throw new AssertionError("game " + (games - 1) + " of -Dattack.seed=" + SEED + ": " + e.getMessage(), e);
      }
    }
    closeAttacks();
    ask("rest");
  }

  private void playOne() throws Exception {
    int game = games++;
    List<Thread> all = new ArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    for (int i = 0; i < attacks.size(); i++) {
      Attack attack = attacks.get(i);
      long seed = SEED + (game * (long) attacks.size() + i) * 0x9e3779b97f4a7c15L;
      all.add(Thread.startVirtualThread(() -> {
        try {
          attack.play(invitation, game, seed);
        } catch (Throwable e) {
          failures.add(e);
        }
      }));
    }
    for (Thread each : all) {
      each.join();
    }
    for (Throwable each : failures) {
      if (each instanceof AssertionError) {
        throw new AssertionError(each.getMessage(), each);
      }
    }
    ask(games % REST_EVERY == 0 && attacks.stream().noneMatch(LastingAttack.class::isInstance) ? "rest" : "check");
    for (Throwable each : failures) {
      throw new IllegalStateException(each);
    }
  }

  private void ask(String command) throws IOException, InterruptedException {
    try {
      pair.send(command);
    } catch (IOException e) {
      // The pair has ended, which the wait notices.
    }
    pair.await("done ");
  }

  private void closeAttacks() {
    for (Attack each : attacks) {
      if (each instanceof LastingAttack lasting) {
        lasting.close();
      }
    }
  }

  /** Ends the honest pair and the attackers. */
  @Override
  public void close() {
    pair.close();
    closeAttacks();
  }

  /** The work of an honest pair. */
  public interface Work {
    /** Does a part of the work and checks it. */
    void turn() throws Exception;

    /** Waits until nothing is left of the attackers. */
    void rest() throws Exception;
  }

  /** Introduces the honest pair of this process, works until a promise is broken, and ends the process then. */
  public static void serve(Invitation invitation, Judge judge, Work work) {
    System.out.println("key " + invitation.key + "\nregions "
      + invitation.regions.stream().map(String::valueOf).collect(Collectors.joining(" ")) + "\nids " + String.join(" ", invitation.ids)
      + "\nknown " + invitation.known + "\nsockets " + String.join(" ", invitation.sockets) + "\nports "
      + invitation.ports.stream().map(String::valueOf).collect(Collectors.joining(" ")) + "\nready");
    Queue<String> commands = new ConcurrentLinkedQueue<>();
    Thread.ofPlatform().daemon().start(() -> {
      for (String line = IO.readln(); line != null; line = IO.readln()) {
        commands.add(line);
      }
      Runtime.getRuntime().halt(0);
    });
    try {
      for (long turns = 0;; turns++) {
        work.turn();
        judge.check();
        String command = commands.poll();
        if (command != null) {
          work.turn();
          if (command.equals("rest")) {
            work.rest();
          }
          judge.check();
          System.out.println("done " + turns);
        }
      }
    } catch (Throwable e) {
      System.out.println("failed " + e);
      e.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }

  /** Attacks with the C program over shared memory, as a member if the pair has a key. */
  public static Attack overSharedMemory(Attacker attacker) {
    return (to, game, seed) -> {
      Process flood = game % 8 == 5 ? attacker.flood(FLOOD, Path.of(to.sockets.get(game % to.sockets.size()))) : null;
      try {
        String id = game % 4 == 3 ? to.ids.get(game / 4 % to.ids.size()) : "attacker";
        attacker.awaitEnd(attacker.play(seed, to.key, to.regions, id, to.known, to.sockets));
      } finally {
        if (flood != null) {
          flood.destroyForcibly().waitFor();
        }
      }
    };
  }

  /** Attacks with the C program and another key than the pair's. Wins if it is greeted. */
  public static Attack withoutSecret(Attacker attacker) {
    return (to, game, seed) -> {
      int greeted = attacker.awaitEnd(attacker.play(seed, "0".repeat(to.key.length()), to.regions, "stranger", to.known, to.sockets));
      assertEquals(0, greeted, "moves as a member without the secret");
    };
  }

  /** Fails if attackers did not get far enough to do harm. */
  public void assertServed(Attacker attacker) {
    boolean asMember = !invitation.key.equals("-");
    assertTrue(attacker.accepted() > games && (!asMember || attacker.greeted() > games && (attacker.opened() > 0 || games < FEW)),
      () -> games + " games with " + attacker.accepted() + " connections of the attacker, " + attacker.greeted() + " moves as a member, "
        + attacker.opened() + " files of regions");
  }
}
