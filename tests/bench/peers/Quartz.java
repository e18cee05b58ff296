import java.util.Properties;
import org.quartz.*;
import org.quartz.impl.StdSchedulerFactory;

/** Quartz N STAMP OUT SECONDS: N jobs that are due each 30 s; each starts STAMP and waits for it. */
public class Quartz {
  static String stamp, out;

  public static class Stamp implements Job {
    public void execute(JobExecutionContext context) throws JobExecutionException {
      try {
        new ProcessBuilder(stamp, out).start().waitFor();
      } catch (Exception e) {
        throw new JobExecutionException(e);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    final int count = Integer.parseInt(arguments[0]);
    stamp = arguments[1];
    out = arguments[2];
    final Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
    properties.setProperty("org.quartz.jobStore.class", "org.quartz.simpl.RAMJobStore");
    properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    properties.setProperty("org.quartz.threadPool.threadCount", "16");
    final Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
    for (int i = 0; i < count; i++) {
      final JobDetail job = JobBuilder.newJob(Stamp.class).withIdentity("job-" + i).build();
      scheduler.scheduleJob(job, TriggerBuilder.newTrigger().withSchedule(CronScheduleBuilder.cronSchedule("0/30 * * * * ?")).build());
    }
    scheduler.start();
    Thread.sleep(Long.parseLong(arguments[3]) * 1000);
    scheduler.shutdown(true);
    System.exit(0);
  }
}
