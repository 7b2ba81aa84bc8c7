import module java.base;

/** Runs the test classes of all built modules from one queue, longest first, in a few JVMs at a time. tests/README.md has the rules. */
class Queue {
  private static final double BATCH_SECONDS = 40;
  private static final Pattern NAME = Pattern.compile("[^$]*(Test|Tests|TestCase)");
  private static final Pattern POLLING = Pattern.compile("(tests/|demos|tools/perf).*|.*\\.examples\\..*");
  private static final Pattern TAG = Pattern.compile("junit\\.jupiter\\.api\\.Tag\\(\"(\\w+)\"\\)");
  private static final Pattern CASE = Pattern
    .compile("<testcase name=\"(.*?)\" classname=\"([^\"$]*).*? time=\"(.*?)\">\n(<failure|<error)?");

  record Module(String name, Path folder, Properties properties, String classPath) {
  }

  /** A class with its measured seconds, its slots (two if it starts processes), and the JUnit tags of the class and of its methods. */
  record TestClass(Module module, String name, double seconds, int slots, Set<String> tags, Set<String> allTags) {
  }

  /** Classes for one JVM, whose event loops use the default policy if {@code polls}, and otherwise sleep. */
  record Job(Module module, int slots, boolean polls, boolean alone, List<TestClass> classes) {
    double seconds() {
      return classes.stream().mapToDouble(TestClass::seconds).sum();
    }
  }

  private final Map<String, String> settings;
  private final List<String> options;
  private final Map<Path, Module> modules = new LinkedHashMap<>();
  private final Path root;
  private final Path logs;
  private int free = 2 * Runtime.getRuntime().availableProcessors();

  /**
   * Arguments: the project's folder, that of the logs, options of the JVMs, and settings: {@code exclude=} and {@code include=} tags,
   * {@code test=} and {@code method=} patterns of names, {@code seed=} of the poll policies, {@code limit=} seconds for a JVM,
   * {@code name=} for the end of the names of logs and reports.
   */
  public static void main(String... arguments) throws Exception {
    new Queue(List.of(arguments)).run();
  }

  private Queue(List<String> arguments) throws IOException {
    root = Path.of(arguments.get(0));
    logs = Files.createDirectories(Path.of(arguments.get(1)));
    options = arguments.stream().filter(argument -> argument.startsWith("-")).toList();
    settings = arguments.stream().skip(2).filter(argument -> !argument.startsWith("-")).map(argument -> argument.split("=", 2))
      .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
  }

  private Set<String> list(String setting) {
    return Stream.of(settings.getOrDefault(setting, "").split("[,\\s]+")).filter(word -> !word.isEmpty()).collect(Collectors.toSet());
  }

  private void run() throws Exception {
    try (Stream<Path> found = Files.find(root, 6, (path, about) -> path.endsWith("target/test.classpath"))) {
      for (Path file : found.sorted().toList()) {
        Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(file.resolveSibling("test.properties"))));
        Path folder = file.getParent().getParent();
        modules.put(folder, new Module(root.relativize(folder).toString(), folder, properties, Files.readString(file).strip()));
      }
    }
    Map<String, String[]> times = Files.readAllLines(root.resolve("tests/times.tsv")).stream().map(line -> line.split("\t"))
      .collect(Collectors.toMap(row -> row[0], row -> row));
    List<TestClass> classes = new ArrayList<>();
    for (Module module : modules.values()) {
      find(module, times, classes);
    }
    List<Job> jobs = plan(classes);
    List<Future<?>> started = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      while (!jobs.isEmpty()) {
        Job job = next(jobs);
        started.add(threads.submit(() -> run(job)));
      }
    }
    for (Future<?> each : started) {
      each.get();
    }
  }

  /** Adds the selected test classes of a module. */
  private void find(Module module, Map<String, String[]> times, List<TestClass> classes) throws Exception {
    Path folder = module.folder.resolve("target/test-classes");
    List<URL> path = new ArrayList<>();
    for (String entry : module.classPath.split(":")) {
      path.add(Path.of(entry).toUri().toURL());
    }
    try (Stream<Path> files = Files.isDirectory(folder) ? Files.walk(folder) : Stream.empty();
      URLClassLoader loader = new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      for (String file : files.map(folder::relativize).map(Path::toString).filter(each -> each.endsWith(".class")).sorted().toList()) {
        String name = file.replaceFirst("\\.class$", "").replace('/', '.');
        if (NAME.matcher(name).matches() && name.matches(settings.getOrDefault("test", ".*"))) {
          Class<?> type = Class.forName(name, false, loader);
          Set<String> own = tags(type).collect(Collectors.toSet());
          Set<String> all = Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass).flatMap(each -> Stream.concat(tags(each),
            Stream.of(each.getDeclaredMethods()).flatMap(Queue::tags))).collect(Collectors.toSet());
          String[] row = times.getOrDefault(name, new String[] {name, "3", "1"});
          if (!Modifier.isAbstract(type.getModifiers()) && Collections.disjoint(own, list("exclude")) && all.containsAll(list("include"))) {
            classes.add(new TestClass(module, name, Double.parseDouble(row[1]), Integer.parseInt(row[2]), own, all));
          }
        }
      }
    }
  }

  private static Stream<String> tags(AnnotatedElement element) {
    return TAG.matcher(Arrays.toString(element.getAnnotations())).results().map(tag -> tag.group(1));
  }

  /**
   * Plans a JVM for each long class, and for short ones of a module with the same policy together. Classes that start processes are first,
   * so that they are not left to the end, then the longest. Those that must run alone are last, and take all slots.
   */
  private List<Job> plan(List<TestClass> classes) throws IOException {
    List<Job> jobs = new ArrayList<>();
    Map<String, Job> open = new HashMap<>();
    for (TestClass each : classes.stream().sorted(Comparator.comparingDouble(TestClass::seconds).reversed()).toList()) {
      if (each.allTags.contains("alone")) {
        jobs.add(new Job(each.module, free, true, true, List.of(each)));
      }
      if (!each.tags.contains("alone")) {
        boolean polls = each.tags.contains("polling") || POLLING.matcher(each.module.name + each.name).matches();
        String key = each.module.name + polls + each.slots;
        Job job = open.get(key);
        if (job == null || job.seconds() + each.seconds > BATCH_SECONDS || each.module.properties.get("test.reuse").equals("false")) {
          polls |= Math.floorMod((each.name + list("seed")).hashCode(), 3) == 0;
          job = new Job(each.module, each.slots, polls, false, new ArrayList<>());
          jobs.add(job);
          open.put(key, job);
        }
        job.classes.add(each);
        log("polling.log", each.name + (job.polls ? "\tdefault policy" : "\tsleeps"));
      }
    }
    jobs.sort(Comparator.comparing(Job::alone).reversed().thenComparing(Job::slots).thenComparing(Job::seconds).reversed());
    return jobs;
  }

  /** Waits for slots, and removes the first job that fits. */
  private synchronized Job next(List<Job> jobs) throws InterruptedException {
    while (true) {
      for (Job job : jobs) {
        if (job.slots <= free) {
          jobs.remove(job);
          free -= job.slots;
          return job;
        }
      }
      wait();
    }
  }

  private Void run(Job job) throws Exception {
    String name = job.module.name.replace('/', '-') + job.classes.getFirst().name.replaceFirst("(.*\\.)?", "-")
      + (job.alone ? "-alone" : "") + settings.getOrDefault("name", "");
    Path log = logs.resolve(name + ".log");
    Path reports = job.module.folder.resolve("target/test-reports").resolve(name);
    Instant began = Instant.now();
    try {
      Process process = start(job, log, reports);
      boolean ended = process.waitFor(Integer.parseInt(settings.getOrDefault("limit", "1200")), TimeUnit.SECONDS);
      if (!ended) {
        new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd", "" + process.pid(), "Thread.print")
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start().waitFor(20, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
      sumUp(job, ended ? "ended with status " + process.exitValue() : "took too long and was ended", log, reports,
        Duration.between(began, Instant.now()).toSeconds());
    } finally {
      synchronized (this) {
        free += job.slots;
        notifyAll();
      }
    }
    return null;
  }

  private Process start(Job job, Path log, Path reports) throws IOException {
    Properties properties = job.module.properties;
    String[] arguments = (properties.get("test.arguments") + " " + properties.getProperty("test.archive", "")).strip().split("\\s+");
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    Stream.concat(Stream.of(arguments), options.stream()).forEach(command::add);
    command.addAll(List.of("-Dvertx.rdma.test.draw=" + list("seed").hashCode(),
      "-DlocalRepository=" + job.module.classPath.replaceFirst("/org/junit/.*", "").replaceFirst(".*:", ""), "-cp",
      job.module.classPath, "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner",
      "--disable-ansi-colors", "--details=testfeed", "--include-classname=.*", "--reports-dir=" + reports));
    job.classes.forEach(each -> command.add("--select-class=" + each.name));
    list("exclude").forEach(tag -> command.add("--exclude-tag=" + tag));
    // Tests of JUnit 4 have no tags, but their classes may.
    Set<String> include = job.classes.stream().allMatch(each -> each.tags.containsAll(list("include"))) ? Set.of() : list("include");
    (job.alone ? Set.of("alone") : include).forEach(tag -> command.add("--include-tag=" + tag));
    list("method").forEach(method -> command.add("--include-methodname=.*#" + method));
    command.add("--exclude-tag=" + (job.alone ? "none" : "alone"));
    ProcessBuilder builder = new ProcessBuilder(command).directory(job.module.folder.toFile()).redirectErrorStream(true)
      .redirectOutput(log.toFile()).redirectInput(new File("/dev/null"));
    builder.environment().putIfAbsent("VERTX_RDMA_MOVE", "always");
    if (!job.polls) {
      builder.environment().putIfAbsent("VERTX_RDMA_POLL", "blocking");
    }
    return builder.start();
  }

  /** Prints the failures of a job. A class without a report has failed, unless it has tests with tags that were left out. */
  private synchronized void sumUp(Job job, String status, Path log, Path reports, long seconds) throws IOException {
    Map<String, Double> ran = new HashMap<>();
    int tests = 0;
    for (Path file : Stream.of("jupiter", "vintage").map(each -> reports.resolve("TEST-junit-" + each + ".xml")).filter(Files::exists)
      .toList()) {
      for (Matcher test = CASE.matcher(Files.readString(file)); test.find(); tests++) {
        ran.merge(test.group(2), Double.parseDouble(test.group(3).replace(",", "")), Double::sum);
        if (test.group(4) != null) {
          System.out.printf("    failed: %s.%s%n", test.group(2), test.group(1));
        }
      }
    }
    for (TestClass each : job.classes) {
      boolean mayBeEmpty = each.allTags.contains("alone") || !Collections.disjoint(each.allTags, list("exclude"));
      if (ran.containsKey(each.name)) {
        log("times.tsv", "%s\t%.1f\t%d".formatted(each.name, job.classes.size() == 1 ? seconds : ran.get(each.name), each.slots));
      } else if (!mayBeEmpty || !status.endsWith("status 0") && ran.isEmpty()) {
        log("queue.log", "failed\t%s\tleft no report; its JVM %s; see %s%ncount\t0\t1\t0".formatted(each.name, status, log));
        System.out.printf("    failed: %s left no report; its JVM %s%n", each.name, status);
      }
    }
    System.out.printf("%-60s %6d tests %5d s%n", log.getFileName().toString().replace(".log", ""), tests, seconds);
  }

  private void log(String file, String line) throws IOException {
    Files.writeString(logs.resolve(file), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
